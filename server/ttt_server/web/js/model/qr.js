// A QR code (ISO/IEC 18004) of a text: byte mode, error correction M, versions 1 to 10. Pure.

const MODULES_OF_FINDER = 7;

/** Error correction codewords a block, and the data codewords of each block, by version from 1. */
const BLOCKS = [
  [10, [16]],
  [16, [28]],
  [26, [44]],
  [18, [32, 32]],
  [24, [43, 43]],
  [16, [27, 27, 27, 27]],
  [18, [31, 31, 31, 31]],
  [22, [38, 38, 39, 39]],
  [22, [36, 36, 36, 37, 37]],
  [26, [43, 43, 43, 43, 44]],
];

const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (x, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/** The dark modules by row, without the quiet zone; null for a text that is too long. */
export function qrModules(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = 1 + BLOCKS.findIndex(([, blocks], index) => bytes.length <= sum(blocks) - (index < 9 ? 2 : 3));
  if (version === 0) return null;
  const bits = interleaved(dataOf(bytes, version), version).flatMap((byte) => bitsOf(byte, 8));
  const drawn = MASKS.map((mask, index) => draw(version, bits, mask, index));
  return drawn.reduce((best, each) => (penalty(each) < penalty(best) ? each : best));
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const bitsOf = (value, count) => Array.from({ length: count }, (_, index) => (value >> (count - 1 - index)) & 1);

/** The data codewords: mode, length, bytes, terminator and padding. */
function dataOf(bytes, version) {
  const size = sum(BLOCKS[version - 1][1]);
  const bits = [...bitsOf(0b0100, 4), ...bitsOf(bytes.length, version < 10 ? 8 : 16)];
  bits.push(...bytes.flatMap((byte) => bitsOf(byte, 8)));
  bits.push(...Array(Math.min(4, size * 8 - bits.length)).fill(0));
  while (bits.length % 8) bits.push(0);
  const words = [];
  for (let at = 0; at < bits.length; at += 8) words.push(parseInt(bits.slice(at, at + 8).join(""), 2));
  for (let pad = 0xec; words.length < size; pad ^= 0xfd) words.push(pad);
  return words;
}

/** The codewords of all blocks in turn, those of the data first. */
function interleaved(words, version) {
  const [count, sizes] = BLOCKS[version - 1];
  let at = 0;
  const blocks = sizes.map((size) => words.slice(at, (at += size)));
  const checks = blocks.map((block) => remainder(block, count));
  return [...inTurn(blocks), ...inTurn(checks)];
}

function inTurn(blocks) {
  const longest = Math.max(...blocks.map((block) => block.length));
  return Array.from({ length: longest }, (_, at) => blocks.flatMap((block) => block.slice(at, at + 1))).flat();
}

function times(a, b) {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) product = (product << 1) ^ ((product >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
  return product;
}

/** The Reed-Solomon codewords of a block. */
function remainder(block, count) {
  let divisor = [...Array(count - 1).fill(0), 1];
  for (let index = 0, root = 1; index < count; index++, root = times(root, 2))
    divisor = divisor.map((each, place) => times(each, root) ^ (divisor[place + 1] ?? 0));
  const rest = Array(count).fill(0);
  for (const word of block) {
    const factor = word ^ rest.shift();
    rest.push(0);
    divisor.forEach((each, place) => (rest[place] ^= times(each, factor)));
  }
  return rest;
}

function draw(version, bits, mask, number) {
  const size = 17 + 4 * version;
  const rows = Array.from({ length: size }, () => Array(size).fill(null));
  drawFixed(rows, version);
  drawFormat(rows, number);
  if (version >= 7) drawVersion(rows, version);
  let at = 0;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5; // the column of the timing pattern
    const isUpward = ((right + 1) & 2) === 0;
    for (let step = 0; step < size; step++) {
      const y = isUpward ? size - 1 - step : step;
      for (const x of [right, right - 1])
        if (rows[y][x] === null) rows[y][x] = Boolean(bits[at++]) !== mask(x, y);
    }
  }
  return rows;
}

/** Finders, timing patterns and alignment patterns. */
function drawFixed(rows, version) {
  const size = rows.length;
  for (let at = 0; at < size; at++) rows[6][at] = rows[at][6] = at % 2 === 0;
  for (const [left, top] of [
    [0, 0],
    [size - MODULES_OF_FINDER, 0],
    [0, size - MODULES_OF_FINDER],
  ])
    for (let y = -1; y <= 7; y++)
      for (let x = -1; x <= 7; x++) {
        const ring = Math.max(Math.abs(x - 3), Math.abs(y - 3));
        if (rows[top + y]?.[left + x] !== undefined) rows[top + y][left + x] = ring !== 2 && ring !== 4;
      }
  const places = alignments(version);
  for (const y of places)
    for (const x of places) {
      if ((x === 6 && y === 6) || (x === 6 && y === places.at(-1)) || (y === 6 && x === places.at(-1))) continue;
      for (let dy = -2; dy <= 2; dy++)
        for (let dx = -2; dx <= 2; dx++) rows[y + dy][x + dx] = Math.max(Math.abs(dx), Math.abs(dy)) !== 1;
    }
}

function alignments(version) {
  if (version === 1) return [];
  const last = 4 * version + 10;
  return version < 7 ? [6, last] : [6, (6 + last) / 2, last];
}

/** Error correction M and the mask, twice. */
function drawFormat(rows, mask) {
  const size = rows.length;
  let rest = mask; // M is 00
  for (let step = 0; step < 10; step++) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const bits = ((mask << 10) | rest) ^ 0x5412;
  const isDark = (bit) => ((bits >> bit) & 1) === 1;
  for (let bit = 0; bit < 15; bit++) {
    const [x, y] = bit < 6 ? [8, bit] : bit < 8 ? [8, bit + 1] : bit === 8 ? [7, 8] : [14 - bit, 8];
    rows[y][x] = isDark(bit);
    if (bit < 8) rows[8][size - 1 - bit] = isDark(bit);
    else rows[size - 15 + bit][8] = isDark(bit);
  }
  rows[size - 8][8] = true;
}

function drawVersion(rows, version) {
  let rest = version;
  for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let bit = 0; bit < 18; bit++) {
    const [a, b] = [rows.length - 11 + (bit % 3), Math.floor(bit / 3)];
    rows[a][b] = rows[b][a] = ((bits >> bit) & 1) === 1;
  }
}

/** How hard the modules are to read: long runs, squares, what looks like a finder, and imbalance. */
function penalty(rows) {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  let score = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((dark) => (dark ? "1" : "0")).join("");
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) score += run.length - 2;
    for (const pattern of ["10111010000", "00001011101"])
      for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) score += 40;
  }
  for (let y = 1; y < size; y++)
    for (let x = 1; x < size; x++) {
      const dark = rows[y][x];
      if (dark === rows[y - 1][x] && dark === rows[y][x - 1] && dark === rows[y - 1][x - 1]) score += 3;
    }
  const share = sum(rows.flat().map(Number)) / size ** 2;
  return score + 10 * Math.floor(Math.abs(share - 0.5) * 20);
}
