// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace cannery::spec {

/// The columns of an ImageFolderSource: the values of a picture as one array, the name of its
/// folder, and its path.
inline constexpr std::string_view kImageColumn = "image";
inline constexpr std::string_view kImageLabelColumn = "label";
inline constexpr std::string_view kImagePathColumn = "path";

} // namespace cannery::spec
