// SPDX-License-Identifier: Apache-2.0
#include "core/data/sources/picture_maker.h"

#include "core/pictures/fitting.h"

#include <utility>

namespace cannery::data {

namespace {

constexpr float kByteMax = 255;
/// A 16-bit value divided by it is in the range of 8 bits: 65535 / 257 = 255.
constexpr float kWordsPerByte = 257;

} // namespace

PictureMaker::PictureMaker(const spec::ImageFolderSource& message)
    : m_message(message), m_resizing{.method = *pictures::resizeMethodNamed(
                                         spec::PictureResize::Method_Name(message.resize())),
                                     .antialias = message.antialias()}
{}

storage::ImageOptions PictureMaker::imageOptions() const
{
    return {.channels = static_cast<int>(m_message.channels()),
            .sixteenBits = m_message.sixteen_bits(),
            .upright = m_message.upright()};
}

Shape PictureMaker::shape() const
{
    return Shape{m_message.height(), m_message.width(), m_message.channels()};
}

template <typename T>
pictures::Picture PictureMaker::resized(const std::vector<T>& values,
                                        const storage::Image& image) const
{
    pictures::PictureView<T> view(values.data(), image.height, image.width, image.channels);
    if (m_message.has_central_crop()) {
        view = pictures::centralCrop(view, m_message.central_crop());
    }
    if (m_message.fit() == spec::PictureFit::pad) {
        return pictures::resizeWithPad(view, m_message.height(), m_message.width(), m_resizing);
    }
    if (m_message.fit() == spec::PictureFit::crop) {
        view = pictures::cropToProportions(view, m_message.height(), m_message.width());
    }
    return pictures::resize(view, m_message.height(), m_message.width(), m_resizing);
}

std::vector<float> PictureMaker::make(const storage::Image& image) const
{
    pictures::Picture picture =
        std::visit([&](const auto& values) { return resized(values, image); }, image.values);
    if (m_message.sixteen_bits()) {
        for (float& value : picture.values) {
            value /= kWordsPerByte;
        }
    }
    switch (m_message.range()) {
    case spec::PictureRange::unit:
        for (float& value : picture.values) {
            value /= kByteMax;
        }
        break;
    case spec::PictureRange::symmetric:
        for (float& value : picture.values) {
            value = value / (kByteMax / 2) - 1;
        }
        break;
    case spec::PictureRange::standardized:
        pictures::standardize(picture);
        break;
    case spec::PictureRange::bytes:
        break;
    }
    return std::move(picture.values);
}

} // namespace cannery::data
