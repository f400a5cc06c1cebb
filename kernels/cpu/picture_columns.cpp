// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/picture_columns.h"

#include <cstring>

namespace cannery::kernels::cpu {

namespace {

/// Where a run of columns is in the picture.
struct Run
{
    std::int64_t offset = kPadding; ///< of its first float
    std::int64_t firstCol = 0;      ///< in the part
    std::int64_t count = 0;

    static constexpr std::int64_t kPadding = -1;
};

/// Cuts the columns of one position into runs that are contiguous in the picture.
class Runs
{
public:
    Runs(const ConvolutionProblem& problem, std::int64_t group)
        : m_height(problem.height), m_width(problem.width), m_channels(problem.groupChannels()),
          m_pixelFloats(problem.inChannels), m_firstChannel(group * m_channels),
          // Neighbouring taps are neighbours in memory.
          m_joinsTaps(problem.groups == 1 && problem.width.dilation == 1)
    {}

    /// Calls function(Run) for the columns [first, first + count) at (y, x), in order.
    template <typename Function>
    [[gnu::always_inline]] void at(std::int64_t y, std::int64_t x, std::int64_t first,
                                   std::int64_t count, const Function& function) const
    {
        const std::int64_t rowCols = m_width.window * m_channels;
        const WindowAxis::Range taps = m_width.tapsInside(x);
        std::int64_t i = first / rowCols;
        std::int64_t from = first - i * rowCols;
        for (std::int64_t done = 0; done < count; ++i) {
            const std::int64_t end = std::min(rowCols, from + count - done);
            const std::int64_t row = m_height.pixel(y, i);
            if (row < 0 || row >= m_height.size) {
                function(Run{Run::kPadding, done, end - from});
            } else if (m_joinsTaps) {
                joinedTaps((row * m_width.size + m_width.pixel(x, 0)) * m_pixelFloats, taps,
                           {done, from, end}, function);
            } else {
                separateTaps(row, x, taps, {done, from, end}, function);
            }
            done += end - from;
            from = 0;
        }
    }

private:
    /// Columns [from, end) of those of a row of taps; the first one is `firstCol` of the part.
    struct RowPart
    {
        std::int64_t firstCol = 0;
        std::int64_t from = 0;
        std::int64_t end = 0;
    };

    template <typename Function>
    [[gnu::always_inline]] void joinedTaps(std::int64_t offset, const WindowAxis::Range& taps,
                                           const RowPart& part, const Function& function) const
    {
        const std::int64_t first = std::clamp(taps.first * m_channels, part.from, part.end);
        const std::int64_t end = std::clamp(taps.end * m_channels, first, part.end);
        if (first > part.from) {
            function(Run{Run::kPadding, part.firstCol, first - part.from});
        }
        if (end > first) {
            function(Run{offset + first, part.firstCol + first - part.from, end - first});
        }
        if (part.end > end) {
            function(Run{Run::kPadding, part.firstCol + end - part.from, part.end - end});
        }
    }

    template <typename Function>
    void separateTaps(std::int64_t row, std::int64_t x, const WindowAxis::Range& taps,
                      const RowPart& part, const Function& function) const
    {
        std::int64_t tap = part.from / m_channels;
        for (std::int64_t col = part.from; col < part.end; ++tap) {
            const std::int64_t end = std::min(part.end, (tap + 1) * m_channels);
            const bool isInside = tap >= taps.first && tap < taps.end;
            const std::int64_t pixel = row * m_width.size + m_width.pixel(x, tap);
            const std::int64_t offset =
                pixel * m_pixelFloats + m_firstChannel + col - tap * m_channels;
            function(
                Run{isInside ? offset : Run::kPadding, part.firstCol + col - part.from, end - col});
            col = end;
        }
    }

    WindowAxis m_height;
    WindowAxis m_width;
    std::int64_t m_channels;
    std::int64_t m_pixelFloats;
    std::int64_t m_firstChannel;
    bool m_joinsTaps;
};

/// Runs are short: a call of memcpy takes longer than copying a few vectors, which may overlap.
[[gnu::always_inline]] inline void copyRun(const float* from, std::int64_t count, float* to)
{
    constexpr std::int64_t kWide = 8;
    constexpr std::int64_t kNarrow = 4;
    if (count >= kWide) {
        for (std::int64_t i = 0; i + kWide <= count; i += kWide) {
            std::memcpy(to + i, from + i, kWide * sizeof(float));
        }
        std::memcpy(to + count - kWide, from + count - kWide, kWide * sizeof(float));
    } else if (count >= kNarrow) {
        std::memcpy(to, from, kNarrow * sizeof(float));
        std::memcpy(to + count - kNarrow, from + count - kNarrow, kNarrow * sizeof(float));
    } else {
        to[0] = from[0];
        to[count / 2] = from[count / 2];
        to[count - 1] = from[count - 1];
    }
}

/// Calls function(image, y, x, row of the part) for its positions.
template <typename Function>
[[gnu::always_inline]] inline void forEachPosition(const ConvolutionProblem& problem,
                                                   const ColumnsPart& part,
                                                   const Function& function)
{
    const std::int64_t width = problem.width.positions();
    const std::int64_t height = problem.height.positions();
    std::int64_t x = part.firstPosition % width;
    std::int64_t y = part.firstPosition / width % height;
    std::int64_t image = part.firstPosition / width / height;
    for (std::int64_t row = 0; row < part.positions; ++row) {
        function(image, y, x, row);
        if (++x == width) {
            x = 0;
            if (++y == height) {
                y = 0;
                ++image;
            }
        }
    }
}

} // namespace

void gatherColumns(const ConvolutionProblem& problem, std::int64_t group, ConstMatrixView src,
                   const ColumnsPart& part, float* panel)
{
    const Runs runs(problem, group);
    forEachPosition(problem, part,
                    [&](std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t row) {
                        const float* picture = src.at(image);
                        float* to = panel + row * part.cols;
                        runs.at(y, x, part.firstCol, part.cols, [&](const Run& run) {
                            if (run.offset == Run::kPadding) {
                                std::fill_n(to + run.firstCol, run.count, 0.0F);
                            } else {
                                copyRun(picture + run.offset, run.count, to + run.firstCol);
                            }
                        });
                    });
}

void scatterColumns(const ConvolutionProblem& problem, std::int64_t group, const float* panel,
                    const ColumnsPart& part, MatrixView src)
{
    const Runs runs(problem, group);
    forEachPosition(problem, part,
                    [&](std::int64_t image, std::int64_t y, std::int64_t x, std::int64_t row) {
                        float* picture = src.at(image);
                        const float* from = panel + row * part.cols;
                        runs.at(y, x, part.firstCol, part.cols, [&](const Run& run) {
                            if (run.offset == Run::kPadding) {
                                return;
                            }
                            float* to = picture + run.offset;
                            for (std::int64_t c = 0; c < run.count; ++c) {
                                to[c] += from[run.firstCol + c];
                            }
                        });
                    });
}

} // namespace cannery::kernels::cpu
