"""The kernel that we ship: its step, and the digest of its tables, for stores and journals (SHL-9).

The tables are named here by their digest and nothing else; the shell looks into none of them.
"""

from functools import cache

import dhruva
from dhruva.runtime import codec
from dhruva.runtime.batch import Kernel


@cache
def shipped() -> Kernel:
    digests = [machine.digest.encode() for _, machine in sorted(dhruva.MACHINES.items())]
    return Kernel(dhruva.step, codec.digest(*digests).hex())
