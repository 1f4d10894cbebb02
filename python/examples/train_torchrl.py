# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""TorchRL: a collector, GAE and the clipped PPO loss, on native worlds that never end.

    python train_torchrl.py --steps 400000

GymWrapper takes the vector environment with autoreset_mode="disabled", which TorchRL asks for.
Prints the reward per step of ten batches, and that of an agent that acts at random.
"""

from __future__ import annotations

import argparse
import warnings

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torch.distributions import Categorical
from torchrl.collectors import Collector
from torchrl.envs.libs.gym import GymWrapper
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from jbw.envs import JellyBeanWorldVectorEnv

TASK = "Collect[JellyBean] & Avoid[Onion]"


def make_env(count: int) -> GymWrapper:
    envs = JellyBeanWorldVectorEnv(
        count, "paper-code", TASK, observation="flat", vision="items",
        overrides={"agent.vision_range": 4}, info="none", autoreset_mode="disabled",
    )  # fmt: skip
    return GymWrapper(envs, categorical_action_encoding=True)


def make_network(inputs: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400_000, help="of all worlds together")
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")  # TorchRL tells about versions to come
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)

    env = make_env(options.envs)
    env.set_seed(options.seed)
    inputs = env.observation_spec["observation"].shape[-1]
    actions = env.action_spec.space.n
    actor = ProbabilisticActor(
        TensorDictModule(make_network(inputs, actions), ["observation"], ["logits"]),
        in_keys=["logits"], distribution_class=Categorical, return_log_prob=True,
        spec=env.action_spec,
    )  # fmt: skip
    critic = ValueOperator(make_network(inputs, 1), in_keys=["observation"])
    advantage = GAE(gamma=0.98, lmbda=0.95, value_network=critic, average_gae=True)
    loss_of = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
    batch = options.envs * 128
    total = max(options.steps // batch, 1) * batch
    collector = Collector(env, actor, frames_per_batch=batch, total_frames=total)

    some = min(total // batch, 10)  # batches between two lines of the log
    rates = []
    for update, data in enumerate(collector, 1):
        rates.append(float(data["next", "reward"].mean()))
        for _ in range(4):
            with torch.no_grad():
                advantage(data)
            flat = data.reshape(-1)
            for part in torch.randperm(len(flat)).split(1024):
                losses = loss_of(flat[part])
                loss = sum(value for name, value in losses.items() if name.startswith("loss_"))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimizer.step()
        if update % some == 0:
            rate = sum(rates[-some:]) / some
            print(f"steps {update * batch}: reward rate {rate:.4f}", flush=True)
    collector.shutdown()

    chance = make_env(options.envs)
    chance.set_seed(10**6)
    luck = float(chance.rollout(200)["next", "reward"].mean())
    print(f"learned {sum(rates[-some:]) / some:.4f}, random {luck:.4f}")


if __name__ == "__main__":
    main()
