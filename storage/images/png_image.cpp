// SPDX-License-Identifier: Apache-2.0
#include "storage/images/png_image.h"

#include "core/base/memory_guard.h"
#include "storage/images/image_errors.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstdlib>
#include <cstring>

namespace cannery::storage {

namespace {

// The weights of libpng's grey, as tf.io.decode_png passes them.
constexpr double kRedWeight = 0.299;
constexpr double kGreenWeight = 0.587;
constexpr png_uint_32 kOpaque = 0xffff;
constexpr int kByteBits = 8;

/// What libpng works on. Its errors leave by longjmp(), so between run() and the library there must
/// be no object with a destructor: all memory is here or belongs to the caller.
class PngDecoder
{
public:
    explicit PngDecoder(std::string_view bytes) : m_bytes(bytes) {}

    ~PngDecoder()
    {
        if (m_png != nullptr) {
            png_destroy_read_struct(&m_png, m_info != nullptr ? &m_info : nullptr, nullptr);
        }
    }

    PngDecoder(const PngDecoder&) = delete;
    PngDecoder& operator=(const PngDecoder&) = delete;

    png_struct* png() { return m_png; }
    png_info* info() { return m_info; }

    /// Runs a step in the library; false if it failed, for error().
    template <typename Step>
    bool run(const Step& step)
    {
        if (setjmp(m_escape) != 0) {
            return false;
        }
        step();
        return true;
    }

    /// Reads up to the first pixels. To be called in run().
    void open()
    {
        m_png = png_create_read_struct_2(
            PNG_LIBPNG_VER_STRING, this, &leave, [](png_struct*, const char*) {}, this, &allocate,
            [](png_struct*, void* memory) { std::free(memory); });
        if (m_png != nullptr) {
            m_info = png_create_info_struct(m_png);
        }
        if (m_info == nullptr) {
            // It leaves by a jump for all other reasons.
            m_lacksMemory = true;
            return;
        }
        png_set_read_fn(m_png, this, &read);
        png_read_info(m_png, m_info);
    }

    /// Whether something could not be allocated: the library does without a chunk then, and goes
    /// on.
    bool lacksMemory() const { return m_lacksMemory; }

    /// Why a step failed.
    Error error(const std::string& name) const
    {
        if (m_lacksMemory) {
            return cannery::detail::noMemoryError(name);
        }
        if (m_isCut) {
            return cannery::error(ErrorCode::DataLoss, kTruncatedImage, name,
                                  "it ends before its end mark");
        }
        return cannery::error(ErrorCode::DataLoss, kDamagedImage, name,
                              std::string_view(m_message.data()));
    }

private:
    [[noreturn]] static void leave(png_struct* png, const char* message)
    {
        auto& self = *static_cast<PngDecoder*>(png_get_error_ptr(png));
        std::strncpy(self.m_message.data(), message, self.m_message.size() - 1);
        std::longjmp(self.m_escape, 1);
    }

    static void* allocate(png_struct* png, png_alloc_size_t bytes)
    {
        void* memory = std::malloc(bytes);
        if (memory == nullptr) {
            static_cast<PngDecoder*>(png_get_mem_ptr(png))->m_lacksMemory = true;
        }
        return memory;
    }

    static void read(png_struct* png, png_byte* to, std::size_t count)
    {
        auto& self = *static_cast<PngDecoder*>(png_get_io_ptr(png));
        if (count > self.m_bytes.size()) {
            self.m_isCut = true;
            png_error(png, "cut");
        }
        std::memcpy(to, self.m_bytes.data(), count);
        self.m_bytes.remove_prefix(count);
    }

    std::string_view m_bytes; ///< not read yet
    png_struct* m_png = nullptr;
    png_info* m_info = nullptr;
    std::jmp_buf m_escape = {};
    std::array<char, 128> m_message = {};
    bool m_isCut = false;
    bool m_lacksMemory = false;
};

/// The header of a picture, and what is made of it.
struct PngPlan
{
    png_uint_32 width = 0;
    png_uint_32 height = 0;
    int bits = 0;
    int channels = 0; ///< made
    bool isPalette = false;
    bool isGrey = false;
    bool hasAlpha = false;
    bool hasTransparency = false; ///< a colour, or entries of the palette
    bool isWide = false;          ///< 16 bits are made
};

PngPlan planOf(png_struct* png, png_info* info, const ImageOptions& options)
{
    const png_byte colours = png_get_color_type(png, info);
    PngPlan plan{.width = png_get_image_width(png, info),
                 .height = png_get_image_height(png, info),
                 .bits = png_get_bit_depth(png, info),
                 .channels = options.channels,
                 .isPalette = colours == PNG_COLOR_TYPE_PALETTE,
                 .isGrey = (colours & PNG_COLOR_MASK_COLOR) == 0,
                 .hasAlpha = (colours & PNG_COLOR_MASK_ALPHA) != 0,
                 .hasTransparency = png_get_valid(png, info, PNG_INFO_tRNS) != 0};
    plan.isWide = options.sixteenBits && plan.bits > kByteBits;
    if (plan.channels == 0 && plan.isPalette) {
        plan.channels = plan.hasTransparency ? 4 : 3;
    } else if (plan.channels == 0) {
        plan.channels = png_get_channels(png, info);
    }
    return plan;
}

/// The library's conversions, which it applies in an order of its own.
void convert(png_struct* png, const PngPlan& plan)
{
    const bool wantsAlpha = plan.channels % 2 == 0;
    if (!wantsAlpha && (plan.hasAlpha || plan.hasTransparency)) {
        png_set_strip_alpha(png);
    } else if (wantsAlpha && !plan.hasAlpha && plan.hasTransparency) {
        png_set_tRNS_to_alpha(png);
    } else if (wantsAlpha && !plan.hasAlpha) {
        png_set_add_alpha(png, kOpaque, PNG_FILLER_AFTER);
    }
    if (plan.bits > kByteBits && !plan.isWide) {
        // The high byte. Scaling would round.
        png_set_strip_16(png);
    }
    if (plan.isWide && std::endian::native == std::endian::little) {
        png_set_swap(png);
    }
    png_set_packing(png);
    if (plan.isPalette) {
        png_set_palette_to_rgb(png);
    }
    if (plan.isGrey && plan.bits < kByteBits) {
        png_set_expand_gray_1_2_4_to_8(png);
    }
    const bool wantsGrey = plan.channels < 3;
    if (wantsGrey && !plan.isGrey) {
        png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, kRedWeight, kGreenWeight);
    } else if (!wantsGrey && plan.isGrey) {
        png_set_gray_to_rgb(png);
    }
    png_set_interlace_handling(png);
}

/// Reads all rows into values of T.
template <typename T>
Result<void> readPixels(PngDecoder& decoder, const PngPlan& plan, const std::string& name,
                        Image& image)
{
    std::vector<T> values(image.valueCount());
    std::vector<png_byte*> rows(plan.height);
    const std::size_t rowValues =
        static_cast<std::size_t>(plan.width) * static_cast<std::size_t>(image.channels);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        rows[row] = reinterpret_cast<png_byte*>(values.data() + row * rowValues);
    }
    std::size_t rowBytes = 0;
    const auto fits = [&] { return rowBytes == rowValues * sizeof(T); };
    if (!decoder.run([&] {
            png_read_update_info(decoder.png(), decoder.info());
            rowBytes = png_get_rowbytes(decoder.png(), decoder.info());
            // The library writes as much as it says here.
            if (fits()) {
                png_read_image(decoder.png(), rows.data());
                png_read_end(decoder.png(), nullptr);
            }
        }) ||
        decoder.lacksMemory()) {
        return tl::make_unexpected(decoder.error(name));
    }
    if (!fits()) {
        return fail(ErrorCode::Unimplemented, kOtherImageVariant, name, "PNG",
                    fmt::format("{} bytes in a row", rowBytes));
    }
    image.values = std::move(values);
    return {};
}

} // namespace

Result<Image> readPng(std::string_view bytes, const std::string& name, const ImageOptions& options)
{
    PngDecoder decoder(bytes);
    if (!decoder.run([&] { decoder.open(); }) || decoder.lacksMemory()) {
        return tl::make_unexpected(decoder.error(name));
    }
    const PngPlan plan = planOf(decoder.png(), decoder.info(), options);
    // An interlaced picture is put together in memory, 8 bytes a pixel at most.
    CANNERY_TRY(checkImageSize(plan.height, plan.width, plan.channels, bytes.size(), name));
    Image image{.format = ImageFormat::Png,
                .height = plan.height,
                .width = plan.width,
                .channels = plan.channels};
    if (!decoder.run([&] { convert(decoder.png(), plan); })) {
        return tl::make_unexpected(decoder.error(name));
    }
    CANNERY_TRY(plan.isWide ? readPixels<std::uint16_t>(decoder, plan, name, image)
                            : readPixels<std::uint8_t>(decoder, plan, name, image));
    return image;
}

} // namespace cannery::storage
