#pragma once

#include <string>

namespace cannery::app {

/// A text as a CSV cell: in quotes when it holds a comma, a quote or a line break.
std::string csvCell(const std::string& text);

} // namespace cannery::app
