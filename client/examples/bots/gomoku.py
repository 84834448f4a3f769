"""A small engine in the Gomocup protocol: it extends its longest open rows and blocks others."""

import sys

columns = rows = 0
board: dict[tuple[int, int], int] = {}


def worth(cell: tuple[int, int], side: int) -> int:
    """Sum over the fives through a cell that the other side has not touched."""
    (x, y), total = cell, 0
    for dx, dy in (1, 0), (0, 1), (1, 1), (1, -1):
        for start in range(-4, 1):
            cells = [(x + (start + step) * dx, y + (start + step) * dy) for step in range(5)]
            if all(0 <= a < columns and 0 <= b < rows for a, b in cells):
                marks = [board.get(cell, 0) for cell in cells]
                if 3 - side not in marks:
                    total += 10 ** marks.count(side)
    return total


def move() -> str:
    free = [(x, y) for y in range(rows) for x in range(columns) if (x, y) not in board]
    x, y = max(free, key=lambda at: 3 * worth(at, 1) + 2 * worth(at, 2))
    board[x, y] = 1
    return f"{x},{y}"


def stones() -> None:
    while (line := sys.stdin.readline().strip()) != "DONE":
        x, y, side = map(int, line.split(","))
        board[x, y] = side


while line := sys.stdin.readline():
    word, _, rest = line.strip().partition(" ")
    answer = ""
    if word in {"START", "RECTSTART", "RESTART"}:
        if rest:
            columns, rows = map(int, rest.split(",")) if "," in rest else (int(rest), int(rest))
        board, answer = {}, "OK"
    elif word in {"BEGIN", "TURN", "BOARD"}:
        if word == "TURN":
            column, row = map(int, rest.split(","))
            board[column, row] = 2
        elif word == "BOARD":
            board = {}
            stones()
        answer = move()
    elif word == "ABOUT":
        answer = 'name="rows", version="1", author="ttt-rooms"'
    elif word == "END":
        break
    elif word != "INFO":
        answer = "UNKNOWN"
    if answer:
        print(answer, flush=True)
