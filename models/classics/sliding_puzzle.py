"""The sliding puzzle (Sam Loyd's is 4x4): one blank, tiles slide into it.

Half of all arrangements can be reached: (width * height)! / 2, which for 3x3 is 181,440, and the furthest
of them is 31 moves away (Reinefeld 1993). 5x2 has 1,814,400 states and 4,717,440 transitions.
"""

from dhruva.explore import Model, Read

BLANK = 0


def model(width: int = 3, height: int = 2) -> Model:
    m = Model("sliding puzzle", width=width, height=height)
    for place in range(width * height):
        m.var(("place", place), place)
    for place in range(width * height):
        across = [place - 1] * (place % width > 0) + [place + 1] * (place % width < width - 1)
        along = [place - width] * (place >= width) + [place + width] * (place < width * (height - 1))
        for other in across + along:
            m.action(f"slide({other}, {place})", slide, other, place)
    return m


def slide(read: Read, source: int, target: int) -> object:
    if read(("place", target)) != BLANK:
        return None
    return {("place", target): read(("place", source)), ("place", source): BLANK}
