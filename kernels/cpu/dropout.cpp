#include "kernels/ops/dropout.h"
#include "kernels/device/row_blocks.h"
#include "kernels/math/dropout_bits.h"

namespace cannery::kernels::cpu {

namespace {

constexpr int kLanes = 8;
constexpr int kUnits = 4 * kLanes;

/// philox() of eight counters that differ in their first word, laid out for vector code:
/// bits[4 * lane + word].
void philoxLanes(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key,
                 std::uint32_t* bits)
{
    std::uint32_t a[kLanes];
    std::uint32_t b[kLanes];
    std::uint32_t c[kLanes];
    std::uint32_t d[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        a[lane] = counter[0] + static_cast<std::uint32_t>(lane);
        b[lane] = counter[1];
        c[lane] = counter[2];
        d[lane] = counter[3];
    }
    for (int round = 0; round < 10; ++round) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t even = std::uint64_t{0xD2511F53U} * a[lane];
            const std::uint64_t odd = std::uint64_t{0xCD9E8D57U} * c[lane];
            a[lane] = static_cast<std::uint32_t>(odd >> 32) ^ b[lane] ^ key[0];
            b[lane] = static_cast<std::uint32_t>(odd);
            c[lane] = static_cast<std::uint32_t>(even >> 32) ^ d[lane] ^ key[1];
            d[lane] = static_cast<std::uint32_t>(even);
        }
        key = {key[0] + 0x9E3779B9U, key[1] + 0xBB67AE85U};
    }
    for (int lane = 0; lane < kLanes; ++lane) {
        bits[4 * lane] = a[lane];
        bits[4 * lane + 1] = b[lane];
        bits[4 * lane + 2] = c[lane];
        bits[4 * lane + 3] = d[lane];
    }
}

void dropRow(const DropoutMask& mask, std::uint64_t row, std::span<const float> src, float* dst)
{
    const float scale = 1.0F / (1.0F - mask.rate);
    const auto cols = static_cast<std::int64_t>(src.size());
    std::uint32_t bits[kUnits];
    for (std::int64_t first = 0; first < cols; first += kUnits) {
        const auto counter =
            dropoutCounter(static_cast<std::uint64_t>(first), row, mask.step, mask.layer);
        philoxLanes(counter, dropoutKey(mask.seed), bits);
        const std::int64_t count = std::min<std::int64_t>(kUnits, cols - first);
        for (std::int64_t c = 0; c < count; ++c) {
            const float kept = src[first + c] * scale;
            dst[first + c] = uniformFloat(bits[c]) >= mask.rate ? kept : 0.0F;
        }
    }
}

void run(ThreadPool& pool, const DropoutMask& mask, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            dropRow(mask, mask.firstRow + static_cast<std::uint64_t>(r), src.row(r), dst.at(r));
        }
    });
}

} // namespace

const DropoutKernels kDropout = {run};

} // namespace cannery::kernels::cpu
