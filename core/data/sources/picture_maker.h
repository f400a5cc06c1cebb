// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/shape.h"
#include "core/pictures/resize.h"
#include "core/spec/data.pb.h"
#include "storage/images/image.h"

#include <vector>

namespace cannery::data {

/// Makes the values of a row of a picture: cut, resized and scaled as the message says.
/// Thread-safe.
class PictureMaker
{
public:
    explicit PictureMaker(const spec::ImageFolderSource& message);

    /// How files are decoded for make().
    storage::ImageOptions imageOptions() const;
    /// Of a row: [height, width, channels].
    Shape shape() const;
    /// Row-major values in that shape.
    std::vector<float> make(const storage::Image& image) const;

private:
    template <typename T>
    pictures::Picture resized(const std::vector<T>& values, const storage::Image& image) const;

    spec::ImageFolderSource m_message;
    pictures::ResizeOptions m_resizing;
};

} // namespace cannery::data
