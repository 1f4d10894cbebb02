# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""PPO in one file, in the style of CleanRL, on worlds that never end.

    python train_cleanrl.py --steps 800000

Tensors share their memory with the C library, so that nothing is copied but what the rollout keeps.
Prints the reward per step while it learns, and that of an agent that acts at random.
"""

from __future__ import annotations

import argparse
import time

import torch
from torch import nn
from torch.distributions import Categorical

import jbw.torch

TASK = "Collect[JellyBean] & Avoid[Onion]"


def make_envs(count: int) -> jbw.torch.VectorEnv:
    return jbw.torch.VectorEnv(
        count, "paper-code", TASK, observation="flat", vision="items", info="none",
        overrides={"agent.vision_range": 4},
    )  # fmt: skip


class Agent(nn.Module):
    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.policy = nn.Linear(64, actions)
        self.value = nn.Linear(64, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, seen: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        hidden = self.body(seen)
        return Categorical(logits=self.policy(hidden)), self.value(hidden).squeeze(-1)


def random_rate(count: int, steps: int) -> float:
    """The reward per step of agents that act at random."""
    envs = make_envs(count)
    envs.reset(seed=10**6)
    actions = envs.single_action_space.n
    total = 0.0
    for _ in range(steps):
        total += float(envs.step(torch.randint(actions, (count,)))[1].sum())
    return total / (steps * count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=800_000, help="of all worlds together")
    parser.add_argument("--envs", type=int, default=32)
    parser.add_argument("--rollout", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--minibatch", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    count, length = options.envs, options.rollout
    gamma, trace, clip, entropy_weight = 0.98, 0.95, 0.2, 0.01

    envs = make_envs(count)
    seen, _ = envs.reset(seed=options.seed)
    agent = Agent(seen.shape[1], int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3, eps=1e-5)
    observations = torch.zeros(length, count, seen.shape[1])
    actions = torch.zeros(length, count, dtype=torch.int64)
    chances, values, rewards = (torch.zeros(length, count) for _ in range(3))

    begin = time.perf_counter()
    updates = max(options.steps // (count * length), 1)
    some = min(updates, 10)  # between two lines of the log
    rates = []
    for update in range(1, updates + 1):
        with torch.no_grad():
            for t in range(length):
                observations[t] = seen  # a copy: the environment writes into `seen` again
                choice, values[t] = agent(seen)
                actions[t] = choice.sample()
                chances[t] = choice.log_prob(actions[t])
                seen, paid, _, _, _ = envs.step(actions[t])
                rewards[t] = paid
            # the worlds never end, so there is always a next value
            following = agent(seen)[1]
            advantages = torch.zeros_like(rewards)
            carried = torch.zeros(count)
            for t in reversed(range(length)):
                surprise = rewards[t] + gamma * following - values[t]
                carried = surprise + gamma * trace * carried
                advantages[t], following = carried, values[t]
            returns = (advantages + values).flatten()

        flat = observations.reshape(length * count, -1)
        for _ in range(options.epochs):
            for part in torch.randperm(length * count).split(options.minibatch):
                choice, guess = agent(flat[part])
                ratio = (choice.log_prob(actions.flatten()[part]) - chances.flatten()[part]).exp()
                gain = advantages.flatten()[part]
                gain = (gain - gain.mean()) / (gain.std() + 1e-8)
                clipped = ratio.clamp(1 - clip, 1 + clip)
                policy_loss = -torch.min(gain * ratio, gain * clipped).mean()
                value_loss = 0.5 * (guess - returns[part]).pow(2).mean()
                loss = policy_loss + 0.5 * value_loss - entropy_weight * choice.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        rates.append(float(rewards.mean()))
        if update % some == 0:
            rate = sum(rates[-some:]) / some
            steps = update * count * length
            speed = steps / (time.perf_counter() - begin)
            print(f"steps {steps}: reward rate {rate:.4f}, {speed:.0f} per second", flush=True)
    print(f"learned {sum(rates[-some:]) / some:.4f}, random {random_rate(count, 200):.4f}")


if __name__ == "__main__":
    main()
