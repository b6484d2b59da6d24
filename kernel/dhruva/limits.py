"""Every bound, with its unit and its reason. Relations between bounds are asserted below, at import.

Quantities that must be exact are integers: thousandths (`_MILLI`) or milliseconds (`_MS`).
"""

from typing import Final

UNBOUNDED: Final = 2**62
"""Stands for "no limit" where a limit is optional, so that a rule compares numbers and nothing else."""

MILLI: Final = 1000
"""One whole, in thousandths."""

# Tasks (LIF)
NAME_LENGTH_MAX: Final = 255  # characters; LIF-17
PRIORITIES: Final = 4  # urgent, high, normal, low; LIF-6
PROGRESS_MAX_MILLI: Final = MILLI  # LIF-17

# Automatic retry of a task (LIF-14)
RETRY_MAX_ATTEMPTS: Final = 3  # the first attempt counts
RETRY_INITIAL_MS: Final = 1_000
RETRY_CAP_MS: Final = 60_000

# Step retry of a workflow (WFL-15)
STEP_RETRY_MAX: Final = 3
STEP_RETRY_INITIAL_MS: Final = 1_000
STEP_RETRY_CAP_MS: Final = 300_000

BACKOFF_DOUBLINGS_MAX: Final = 32
"""Doublings that a backoff computes before its cap must have been met: 2**32 ms is 49 days."""

# Dispatch (DSP)
COOPERATIVE_UNIT_MILLI: Final = MILLI  # load that one cooperative carries; DSP-6
COOPERATIVE_MAX: Final = 2  # DSP-6
COOPERATIVE_BOUND: Final = 4  # no configuration goes above it; DSP-6
URGENCY_MAX: Final = 4  # DSP-9
THRESHOLD_MILLI: Final = 900  # mean pressure above which level 0 drops; DSP-9
THRESHOLD_STEP_MILLI: Final = 100  # tighter by this per level; DSP-9
THRESHOLD_FLOOR_MILLI: Final = 500  # never tighter than this; DSP-9
PRESSURES: Final = 3  # memory, queue depth, spawn saturation; DSP-10
FORGET_ENTRIES: Final = 10_000  # ended counters kept; DSP-12
FORGET_AFTER_MS: Final = 300_000  # DSP-12

# Workflow instances (WFL)
KEPT_SIGNALS_MAX: Final = 64  # early signals kept per instance; WFL-22

# Transports and locks (REL)
OBSERVATION_MS: Final = 30_000  # how long a spawn may stay unobserved; REL-8
GRACE_MS: Final = 5_000  # from terminate to giving up; REL-8

assert 0 < RETRY_INITIAL_MS <= RETRY_CAP_MS < 2**BACKOFF_DOUBLINGS_MAX
assert 0 < STEP_RETRY_INITIAL_MS <= STEP_RETRY_CAP_MS < 2**BACKOFF_DOUBLINGS_MAX
assert COOPERATIVE_UNIT_MILLI > 0
assert 0 <= COOPERATIVE_MAX <= COOPERATIVE_BOUND
assert 0 < THRESHOLD_FLOOR_MILLI <= THRESHOLD_MILLI <= MILLI
assert THRESHOLD_MILLI - URGENCY_MAX * THRESHOLD_STEP_MILLI == THRESHOLD_FLOOR_MILLI
assert GRACE_MS < OBSERVATION_MS
