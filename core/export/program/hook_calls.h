// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/training.pb.h"

#include <string>

namespace cannery::exporting {

/// A condition of tf.estimator.experimental, whose function has the name of our field.
std::string conditionCall(const spec::Hook& hook);
/// A call of profilerFunction().
std::string profilerCall(const spec::ProfilerHook& hook);
/// A function of the program.
std::string profilerFunction();
/// An object of the class that listenerClass() writes.
std::string listenerCall(const spec::SavingListener& listener);
std::string listenerClass();

} // namespace cannery::exporting
