// Plays the last legal cell.
const lines = require("node:readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const { type, rules, legal } = JSON.parse(line);
  if (type === "hello" && rules.variant) console.log('{"variants":"*"}');
  if (type === "turn") console.log(JSON.stringify({ cell: legal.at(-1), reason: "the last" }));
});
