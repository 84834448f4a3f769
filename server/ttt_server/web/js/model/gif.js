// Frames as an animated GIF, which runs again and again. Pure.

const COLOURS = 256;
const [CLEAR, END] = [256, 257]; // codes of LZW after those of the colours
const MOST_CODES = 4096;

/**
 * The file, from `frames`: `{pixels, ms}`, four bytes a pixel as a canvas has them, shown for so long; they may
 * come one by one. `samples` are pixels that have all colours.
 */
export async function gifOf(width, height, samples, frames) {
  const { palette, indicesOf } = paletteOf(samples);
  const bytes = [...text("GIF89a"), ...short(width), ...short(height), 0xf7, 0, 0];
  for (let index = 0; index < COLOURS; index++) bytes.push(...(palette[index] ?? [0, 0, 0]));
  bytes.push(0x21, 0xff, 11, ...text("NETSCAPE2.0"), 3, 1, 0, 0, 0);
  let before = null;
  for await (const { pixels, ms } of frames) {
    const drawn = indicesOf(pixels);
    const part = before ? changed(before, drawn, width, height) : { x: 0, y: 0, w: width, h: height };
    bytes.push(0x21, 0xf9, 4, 4, ...short(Math.round(ms / 10)), 0, 0);
    bytes.push(0x2c, ...short(part.x), ...short(part.y), ...short(part.w), ...short(part.h), 0, 8);
    const packed = packedOf(cut(drawn, width, part));
    for (let at = 0; at < packed.length; at += 255) {
      const block = packed.slice(at, at + 255);
      bytes.push(block.length, ...block);
    }
    bytes.push(0);
    before = drawn;
  }
  bytes.push(0x3b);
  return new Uint8Array(bytes);
}

const text = (letters) => [...letters].map((letter) => letter.charCodeAt(0));
const short = (number) => [number & 255, number >> 8];

/** Colours that are near are one: five bits for each of red, green and blue. */
const near = (pixels, at) => ((pixels[at] >> 3) << 10) | ((pixels[at + 1] >> 3) << 5) | (pixels[at + 2] >> 3);

/** The most frequent colours, and `indicesOf(pixels)`, which gives for each pixel the nearest of them. */
function paletteOf(samples) {
  const sums = new Float64Array(4 << 15); // count, red, green and blue by what is near
  for (const pixels of samples) {
    for (let at = 0; at < pixels.length; at += 4) {
      const key = near(pixels, at) * 4;
      sums[key] += 1;
      for (let part = 0; part < 3; part++) sums[key + 1 + part] += pixels[at + part];
    }
  }
  const keys = Array.from({ length: 1 << 15 }, (_, key) => key).filter((key) => sums[key * 4]);
  const frequent = keys.sort((one, other) => sums[other * 4] - sums[one * 4]).slice(0, COLOURS);
  const palette = frequent.map((key) => [1, 2, 3].map((part) => Math.round(sums[key * 4 + part] / sums[key * 4])));
  const indices = new Int16Array(1 << 15).fill(-1);
  frequent.forEach((key, index) => (indices[key] = index));
  const indicesOf = (pixels) => {
    const found = new Uint8Array(pixels.length / 4);
    for (let index = 0; index < found.length; index++) {
      const key = near(pixels, index * 4);
      if (indices[key] < 0) indices[key] = nearest([...pixels.subarray(index * 4, index * 4 + 3)], palette);
      found[index] = indices[key];
    }
    return found;
  };
  return { palette, indicesOf };
}

function nearest(colour, palette) {
  const distance = (other) => other.reduce((sum, part, index) => sum + (part - colour[index]) ** 2, 0);
  return palette.reduce((best, other, index) => (distance(other) < distance(palette[best]) ? index : best), 0);
}

/** The rectangle that holds all that differs; one pixel where nothing does. */
function changed(before, after, width, height) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let at = 0; at < after.length; at++) {
    if (before[at] === after[at]) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return right < 0 ? { x: 0, y: 0, w: 1, h: 1 } : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

function cut(indices, width, { x, y, w, h }) {
  const part = new Uint8Array(w * h);
  for (let row = 0; row < h; row++) part.set(indices.subarray((y + row) * width + x, (y + row) * width + x + w), row * w);
  return part;
}

/** LZW as GIF has it: codes of 9 bits and more, lowest bits first. */
function packedOf(indices) {
  const bytes = [];
  let [held, bits, size, next] = [0, 0, 9, END + 1];
  let codes = new Map(); // of a code and the index behind it
  const write = (code) => {
    held |= code << bits;
    for (bits += size; bits >= 8; bits -= 8) {
      bytes.push(held & 255);
      held >>= 8;
    }
  };
  write(CLEAR);
  let code = indices[0];
  for (const index of indices.subarray(1)) {
    const longer = (code << 8) | index;
    const known = codes.get(longer);
    if (known !== undefined) {
      code = known;
      continue;
    }
    write(code);
    code = index;
    if (next === MOST_CODES) {
      write(CLEAR);
      [codes, size, next] = [new Map(), 9, END + 1];
      continue;
    }
    if (next === 1 << size) size += 1;
    codes.set(longer, next++);
  }
  write(code);
  write(END);
  if (bits) bytes.push(held & 255);
  return bytes;
}
