// SPDX-License-Identifier: Apache-2.0
#include "storage/images/image.h"
#include "storage/io/files.h"
#include "tests/fuzz/hostile_bytes.h"
#include "tests/fuzz/hostile_files.h"

namespace cannery::tests {

namespace {

std::string golden(const std::string& file)
{
    return *storage::readWholeFile(CANNERY_SOURCE_DIR "/tests/golden/images/files/" + file);
}

/// A JPEG that says it has another size: two bytes of height, two of width behind the frame's mark.
std::string resizedJpeg(const std::string& file, const std::string& size)
{
    std::string bytes = golden(file);
    std::size_t frame = bytes.find("\xff\xc0");
    frame = frame == std::string::npos ? bytes.find("\xff\xc2") : frame;
    return bytes.replace(frame + 5, 4, size);
}

} // namespace

void addHostileImages(HostileFiles& files)
{
    const HostileRead read = [](std::string_view bytes) {
        return nothingOf(storage::readImage(bytes, "picture"));
    };
    files.add("image", read, "a JPEG of 65,500 × 65,500 pixels", "image.too_large",
              [] { return resizedJpeg("baseline_444.jpg", "\xff\xdc\xff\xdc"); });
    files.add("image", read, "a JPEG of 16,384 × 8192 pixels in a kilobyte", "image.too_dense",
              [] { return resizedJpeg("progressive_420.jpg", std::string("\x20\0\x40\0", 4)); });
    files.add("image", read, "a BMP of 2^30 × 2^30 pixels", "image.too_large", [] {
        return golden("rgb.bmp").replace(18, 8, std::string("\0\0\0\x40\0\0\0\x40", 8));
    });
    files.add("image", read, "a BMP whose pixels are behind its end", "image.truncated",
              [] { return golden("rgb.bmp").replace(10, 4, "\xff\xff\xff\x7f"); });
    files.add("image", read, "a JPEG of comments", "image.truncated", [] {
        return "\xff\xd8" + times(1U << 18U, std::string("\xff\xfe\0\x06  ", 6) + "  ");
    });
    files.add("image", read, "ten thousand scans", "image.damaged", [] {
        const std::string bytes = golden("progressive_grey.jpg");
        const std::size_t begin = bytes.rfind("\xff\xda");
        const std::size_t end = bytes.rfind("\xff\xd9");
        return bytes.substr(0, end) + times(10000, bytes.substr(begin, end - begin)) +
               bytes.substr(end);
    });
}

} // namespace cannery::tests
