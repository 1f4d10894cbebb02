# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What all tests share. Searches by chance always do the same and look at no clock, so that a test
passes always or never; with HYPOTHESIS_RANDOM in the environment they always search elsewhere."""

import os

from hypothesis import HealthCheck, settings

# every processor has a test already, and threads of torch that wait for each other take longer
os.environ.setdefault("OMP_NUM_THREADS", "1")

settings.register_profile(
    "jbw",
    deadline=None,
    derandomize="HYPOTHESIS_RANDOM" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("jbw")
