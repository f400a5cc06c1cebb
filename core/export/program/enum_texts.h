// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::exporting {

/// A value of an enum of the schema as TensorFlow writes it. `type`: the message around the enum
/// ("Activation"), `value`: its name ("relu").
std::string enumText(std::string_view type, std::string_view value);

} // namespace cannery::exporting
