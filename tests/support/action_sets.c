// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/action_sets.h"

static const jbw_action paper_actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_TURN_RIGHT, NULL}};
static const jbw_action one_turn[] = {
    {JBW_ACTION_TURN_RIGHT, NULL}, {JBW_ACTION_NO_OP, NULL}, {JBW_ACTION_MOVE_FORWARD, NULL}};
static const jbw_action four_moves[] = {{JBW_ACTION_MOVE_LEFT, NULL},
                                        {JBW_ACTION_MOVE_FORWARD, NULL},
                                        {JBW_ACTION_MOVE_BACKWARD, NULL},
                                        {JBW_ACTION_MOVE_RIGHT, NULL}};
static const jbw_action all_actions[] = {
    {JBW_ACTION_NO_OP, NULL},      {JBW_ACTION_TURN_AROUND, NULL}, {JBW_ACTION_MOVE_RIGHT, NULL},
    {JBW_ACTION_COLLECT, NULL},    {JBW_ACTION_TURN_LEFT, NULL},   {JBW_ACTION_MOVE_BACKWARD, NULL},
    {JBW_ACTION_MOVE_LEFT, NULL},  {JBW_ACTION_DROP, "Bean"},      {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_RIGHT, NULL},
};
static const jbw_action around_only[] = {{JBW_ACTION_MOVE_FORWARD, NULL},
                                         {JBW_ACTION_TURN_AROUND, NULL}};

const action_set action_sets[ACTION_SETS] = {
    {paper_actions, 3}, {one_turn, 3}, {four_moves, 4}, {all_actions, 10}, {around_only, 2}};
