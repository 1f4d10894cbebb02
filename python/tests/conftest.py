# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What all tests share. Searches by chance always do the same and look at no clock, so that a test
passes always or never; with
HYPOTHESIS_RANDOM in the environment they search elsewhere each time."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "jbw",
    deadline=None,
    derandomize="HYPOTHESIS_RANDOM" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("jbw")
