"""A night's work on a durable store: two loads, a report that needs both, and a mail that needs the report.

    python nightly.py work.db

Start it as often as you like, kill it whenever you like: the tasks are created once, and what was accepted
is finished. Each line it prints is one thing that a body did.
"""

import asyncio
import sys
from functools import partial
from typing import Any

from dhruva import Authority, RetryPolicy

SOON = RetryPolicy(initial_delay_ms=200, max_delay_ms=1000)  # after a crash a task is tried again


def tell(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - it is what the program does


async def main(store: str) -> None:
    async with Authority.open(store, limit=2) as authority:

        @authority.executor
        async def load(inputs: dict[str, Any], ctx: Any) -> dict[str, Any]:
            tell(f"load {inputs['table']}: attempt {ctx.ref.number} begins")
            for part in range(1, inputs["parts"] + 1):
                await asyncio.sleep(0.2)
                ctx.progress(part / inputs["parts"])
                tell(f"load {inputs['table']}: part {part} of {inputs['parts']}")
            return {"rows": 100 * inputs["parts"]}

        @authority.executor
        async def report(_inputs: dict[str, Any], ctx: Any) -> dict[str, Any]:
            loaded = await ctx.results()
            rows = sum(result["rows"] for result in loaded.values())
            tell(f"report: over {rows} rows")
            return {"rows": rows}

        @authority.executor
        async def mail(inputs: dict[str, Any]) -> dict[str, Any]:
            tell(f"mail: to {inputs['to']}")
            return {}

        known = (await authority.tasks(name="mail the report")).tasks
        if known:
            last = known[0]
        else:
            define = partial(authority.define, retry=SOON)
            sales = define("load sales", load, {"table": "sales", "parts": 2})
            stock = define("load stock", load, {"table": "stock", "parts": 6}, parent=sales)
            sums = define("report", report, after=[sales, stock], parent=sales)
            post = define("mail the report", mail, {"to": "anna"}, after=[sums], parent=sales)
            *_, last = await authority.create_tree([sales, stock, sums, post])  # all of it, or nothing
            tell("four tasks were accepted, in one transaction")
        ended = await last.ended()
        tell(f"the mail is {ended.status}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
