// SPDX-License-Identifier: Apache-2.0
#include "storage/images/image_errors.h"

#include <algorithm>

namespace cannery::storage {

Result<void> checkImageSize(std::uint64_t height, std::uint64_t width, int channels,
                            std::size_t fileBytes, const std::string& name)
{
    const auto planes = static_cast<std::uint64_t>(std::max(channels, 1));
    // By division: a product of what a file says may overflow.
    if (height > 0 && width > kMostImageValues / planes / height) {
        return fail(ErrorCode::ResourceExhausted, kLargeImage, name, width, height, planes,
                    kMostImageValues);
    }
    const std::uint64_t values = height * width * planes;
    if (values > kFreeImageValues && values / kMostValuesPerByte > fileBytes) {
        return fail(ErrorCode::ResourceExhausted, kDenseImage, name, width, height, fileBytes);
    }
    return {};
}

} // namespace cannery::storage
