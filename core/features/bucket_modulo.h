// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cannery::features {

/// hash mod buckets without a division: the quotient is estimated by a product with 2^64 / buckets
/// rounded down, so it is at most one too small.
class BucketModulo
{
public:
    /// 0 buckets count as one.
    explicit BucketModulo(std::uint64_t buckets)
        : m_buckets(std::max<std::uint64_t>(buckets, 1)),
          m_reciprocal(std::numeric_limits<std::uint64_t>::max() / m_buckets)
    {}

    std::uint64_t operator()(std::uint64_t hash) const
    {
        __extension__ using Wide = unsigned __int128;
        const auto quotient = static_cast<std::uint64_t>((Wide{hash} * m_reciprocal) >> 64U);
        const std::uint64_t rest = hash - quotient * m_buckets;
        return rest >= m_buckets ? rest - m_buckets : rest;
    }

private:
    std::uint64_t m_buckets;
    std::uint64_t m_reciprocal;
};

} // namespace cannery::features
