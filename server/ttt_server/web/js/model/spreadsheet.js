// CSV as spreadsheets write and read it. Pure; `ttt_client/text/spreadsheet.py` does the same.

/** The beginning of a text that a spreadsheet would take for a formula, or that is guarded. */
const FORMULA = /^'*[=+\-@\t\r]/;
const HEAD =
  /^(?:(?:player|name|spieler|joueur|jugador|nom|nombre)[ _-]?[xo12ab]?|[xo]|first|second|white|black)$/;
const LONGEST_NAME = 24;

/** Cells as a line of CSV. A text that would run as a formula gets a `'` before it. */
export const csvLine = (cells) => cells.map(written).join(",");

function written(cell) {
  if (typeof cell !== "string") return String(cell);
  const guarded = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

/**
 * `{pairs}` of names, with commas, semicolons or tabs between them; or `{bad}`, the number of the first line that
 * is not two names. Skips a byte order mark, a line of heads, empty lines and further empty columns.
 */
export function readPairs(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const readings = ["\t", ";", ","].map((delimiter) => rowsOf(lines, delimiter));
  const misfits = (rows) => rows.filter(({ cells }) => cells.length !== 2).length;
  const rows = readings.reduce((best, each) => (misfits(each) < misfits(best) ? each : best));
  if (rows.length && rows[0].cells.every((cell) => HEAD.test(cell.toLowerCase()))) rows.shift();
  const isName = (cell) => cell && [...cell].length <= LONGEST_NAME;
  const bad = rows.find(({ cells }) => cells.length !== 2 || !cells.every(isName));
  return bad ? { bad: bad.number } : { pairs: rows.map(({ cells }) => cells) };
}

/** The lines that have any cells, as `{number, cells}`. */
function rowsOf(lines, delimiter) {
  const one = new RegExp(` *(?:"((?:[^"]|"")*)" *|([^"${delimiter}][^${delimiter}]*|))(${delimiter}|$)`, "y");
  const rows = lines.map((line, index) => ({ number: index + 1, cells: cellsOf(line, one) }));
  return rows.filter(({ cells }) => cells.length);
}

function cellsOf(line, one) {
  const cells = [];
  one.lastIndex = 0;
  for (let end = true; end; ) {
    const found = one.exec(line);
    if (!found) return [line]; // a quote is not closed
    const [, quoted, plain] = found;
    const cell = (quoted?.replaceAll('""', '"') ?? plain).trim();
    cells.push(cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);
    end = found[3];
  }
  while (cells.length && !cells.at(-1)) cells.pop();
  return cells;
}
