// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

namespace cannery::app {

/// An error whose cures name fields of an experiment, which does not exist yet, with the options of
/// `cannery new` instead.
Error withNewOptions(Error error);

} // namespace cannery::app
