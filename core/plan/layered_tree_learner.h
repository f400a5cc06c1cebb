// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/learner_catalog.h"
