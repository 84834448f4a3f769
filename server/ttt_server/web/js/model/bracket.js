// The bracket of a knockout. Pure.

/** All rounds up to the final, from those that have begun: a place to come has the winner who is known for it. */
export function wholeBracket(begun) {
  const rounds = [...begun];
  while (rounds.at(-1).length > 1) {
    const ties = rounds.at(-1);
    const pairs = ties.filter((_, index) => index % 2 === 0).map((tie, index) => [tie, ties[2 * index + 1]]);
    rounds.push(pairs.map(([one, other]) => ({ first: one.winner, second: other.winner, winner: null })));
  }
  return rounds;
}
