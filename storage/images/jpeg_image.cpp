// SPDX-License-Identifier: Apache-2.0
#include "storage/images/jpeg_image.h"

#include "core/base/memory_guard.h"
#include "storage/images/channels.h"
#include "storage/images/image_errors.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio> // jpeglib.h uses FILE without including it

#include <jpeglib.h>

#include <jerror.h>

namespace cannery::storage {

namespace {

/// A progressive picture has about ten scans. Each costs a pass over all of its blocks, so that a
/// small file with thousands of them would take hours.
constexpr int kMostScans = 500;
constexpr int kInks = 4;
constexpr int kFullInk = 255;

/// What libjpeg works on. Its errors leave by longjmp(), so between run() and the library there
/// must be no object with a destructor: all memory is here or belongs to the caller.
class JpegDecoder
{
public:
    explicit JpegDecoder(std::string_view bytes)
    {
        m_decoder.err = jpeg_std_error(&m_errors);
        m_decoder.client_data = this;
        m_errors.error_exit = &leave;
        // Warnings and traces: TensorFlow goes on after them as well, and nothing may be printed.
        m_errors.emit_message = [](j_common_ptr, int) {};
        m_errors.output_message = [](j_common_ptr) {};
        m_source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
        m_source.bytes_in_buffer = bytes.size();
        m_source.init_source = [](j_decompress_ptr) {};
        // All bytes are there from the beginning. Being asked for more suspends the decoder, which
        // is how the end of cut data is noticed.
        m_source.fill_input_buffer = [](j_decompress_ptr) -> boolean { return FALSE; };
        m_source.skip_input_data = &skip;
        m_source.resync_to_restart = &jpeg_resync_to_restart;
        m_source.term_source = [](j_decompress_ptr) {};
        m_progress.progress_monitor = &countScans;
    }

    ~JpegDecoder()
    {
        if (m_isCreated) {
            jpeg_destroy_decompress(&m_decoder);
        }
    }

    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    jpeg_decompress_struct& decoder() { return m_decoder; }

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

    /// To be called in run().
    void create()
    {
        // Before the call: it may fail for lack of memory, and keep what it has got by then.
        m_isCreated = true;
        jpeg_create_decompress(&m_decoder);
        m_decoder.src = &m_source;
        m_decoder.progress = &m_progress;
    }

    /// Why a step failed.
    Error error(const std::string& name) const
    {
        if (m_errors.msg_code == JERR_OUT_OF_MEMORY) {
            return cannery::detail::noMemoryError(name);
        }
        if (m_hasManyScans) {
            return cannery::error(ErrorCode::ResourceExhausted, kDamagedImage, name,
                                  fmt::format("it has more than {} scans", kMostScans));
        }
        return cannery::error(ErrorCode::DataLoss, kDamagedImage, name,
                              std::string_view(m_message.data()));
    }

private:
    static JpegDecoder& of(j_common_ptr decoder)
    {
        return *static_cast<JpegDecoder*>(decoder->client_data);
    }

    [[noreturn]] static void leave(j_common_ptr decoder)
    {
        JpegDecoder& self = of(decoder);
        self.m_errors.format_message(decoder, self.m_message.data());
        std::longjmp(self.m_escape, 1);
    }

    static void skip(j_decompress_ptr decoder, long count)
    {
        jpeg_source_mgr& source = *decoder->src;
        // Behind the last byte is the end, however much a segment claims to have.
        const std::size_t skipped =
            std::min(static_cast<std::size_t>(std::max(count, 0L)), source.bytes_in_buffer);
        source.next_input_byte += skipped;
        source.bytes_in_buffer -= skipped;
    }

    static void countScans(j_common_ptr decoder)
    {
        JpegDecoder& self = of(decoder);
        if (self.m_decoder.input_scan_number > kMostScans) {
            self.m_hasManyScans = true;
            std::longjmp(self.m_escape, 1);
        }
    }

    jpeg_decompress_struct m_decoder = {};
    jpeg_error_mgr m_errors = {};
    jpeg_source_mgr m_source = {};
    jpeg_progress_mgr m_progress = {};
    std::jmp_buf m_escape = {};
    std::array<char, JMSG_LENGTH_MAX> m_message = {};
    bool m_isCreated = false;
    bool m_hasManyScans = false;
};

/// Which colours the library makes, as TensorFlow asks it to. Returns the channels.
int chooseColours(jpeg_decompress_struct& decoder, int wanted)
{
    const bool isInk = decoder.jpeg_color_space == JCS_CMYK || decoder.jpeg_color_space == JCS_YCCK;
    if (isInk) {
        decoder.out_color_space = JCS_CMYK;
        return 3;
    }
    // A picture of two components has no colours that the library knows: it is given as it is.
    int channels = std::min(decoder.num_components, 3);
    if (wanted > 0) {
        // An alpha is added afterwards.
        channels = wanted < 3 ? 1 : 3;
    }
    if (channels == 1) {
        decoder.out_color_space = JCS_GRAYSCALE;
    } else if (channels == 3) {
        decoder.out_color_space = JCS_RGB;
    }
    return channels;
}

/// Inks of a row as RGB. Adobe's programs store them inverted, and say so.
void inksToRgb(const std::uint8_t* inks, bool isInverted, std::size_t pixels, std::uint8_t* rgb)
{
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const std::uint8_t* ink = inks + pixel * kInks;
        const int black = isInverted ? ink[3] : kFullInk - ink[3];
        for (std::size_t i = 0; i < 3; ++i) {
            const int colour = isInverted ? ink[i] : kFullInk - ink[i];
            rgb[pixel * 3 + i] = static_cast<std::uint8_t>(black * colour / kFullInk);
        }
    }
}

/// Reads all rows; false if the data end before the last one.
bool readRows(jpeg_decompress_struct& decoder, std::uint8_t* inkRow, std::uint8_t* values,
              std::size_t rowValues)
{
    while (decoder.output_scanline < decoder.output_height) {
        std::uint8_t* row = values + decoder.output_scanline * rowValues;
        JSAMPROW target = inkRow != nullptr ? inkRow : row;
        if (jpeg_read_scanlines(&decoder, &target, 1) == 0) {
            return false;
        }
        if (inkRow != nullptr) {
            inksToRgb(inkRow, decoder.saw_Adobe_marker != FALSE, decoder.output_width, row);
        }
    }
    return true;
}

} // namespace

Result<Image> readJpeg(std::string_view bytes, const std::string& name, int channels)
{
    JpegDecoder jpeg(bytes);
    jpeg_decompress_struct& decoder = jpeg.decoder();
    int status = JPEG_SUSPENDED;
    if (!jpeg.run([&] {
            jpeg.create();
            status = jpeg_read_header(&decoder, TRUE);
        })) {
        return tl::make_unexpected(jpeg.error(name));
    }
    if (status != JPEG_HEADER_OK) {
        return fail(ErrorCode::DataLoss, kTruncatedImage, name, "it ends before its first pixel");
    }
    Image image{
        .format = ImageFormat::Jpeg, .height = decoder.image_height, .width = decoder.image_width};
    image.channels = chooseColours(decoder, channels);
    // While it decodes, the library needs room for the components of the file.
    CANNERY_TRY(checkImageSize(decoder.image_height, decoder.image_width,
                               std::max(image.channels, decoder.num_components), bytes.size(),
                               name));
    decoder.dct_method = JDCT_IFAST;
    decoder.do_fancy_upsampling = TRUE;
    const bool isInk = decoder.out_color_space == JCS_CMYK;
    const auto width = static_cast<std::size_t>(image.width);
    std::vector<std::uint8_t> inkRow(isInk ? width * kInks : 0);
    std::vector<std::uint8_t> values(image.valueCount());
    bool isWhole = false;
    if (!jpeg.run([&] {
            isWhole = jpeg_start_decompress(&decoder) != FALSE &&
                      readRows(decoder, isInk ? inkRow.data() : nullptr, values.data(),
                               width * static_cast<std::size_t>(image.channels));
            if (isWhole) {
                // It may lack its end marker only if nothing else is wrong behind the last row.
                jpeg_finish_decompress(&decoder);
            }
        })) {
        return tl::make_unexpected(jpeg.error(name));
    }
    if (!isWhole) {
        return fail(ErrorCode::DataLoss, kTruncatedImage, name,
                    fmt::format("it ends in row {} of {}", decoder.output_scanline + 1,
                                decoder.image_height));
    }
    image.values = std::move(values);
    convertChannels(image, channels);
    return image;
}

} // namespace cannery::storage
