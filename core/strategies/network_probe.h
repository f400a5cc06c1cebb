// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/strategies/cost_model.h"

namespace cannery::strategies {

/// Measures for about this long what two workers on this machine, as two threads, do with each
/// other's messages over loopback: the least that software costs on any network. Errors: those of
/// collectives::connectGloo, and of a lost peer.
Result<NetworkFigures> measureLoopback(double seconds);

} // namespace cannery::strategies
