// SPDX-License-Identifier: Apache-2.0
#include "core/plan/weights/initial_values.h"

#include "core/base/fingerprint.h"
#include "core/graph/initializers.h"
#include "core/plan/weights/orthogonal_values.h"
#include "kernels/device/random.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace cannery::plan {

namespace {

/// Standard deviation of a standard normal truncated at two deviations: Keras divides by it, so the
/// result has the requested standard deviation.
constexpr double kTruncatedDeviation = 0.87962566103423978;

/// Odd: different seeds stay different for any name.
constexpr std::uint64_t kSeedFactor = 0x9E3779B97F4A7C15ULL;

/// A random number for each element of one variable.
class Draw
{
public:
    Draw(const graph::Variable& variable, std::uint64_t seed, std::span<float> values,
         std::int64_t first)
        : m_key(fingerprint64(variable.name)), m_seed(seed), m_values(values), m_first(first)
    {}

    template <typename Sample>
    void fill(std::optional<std::int64_t> ownSeed, Sample&& sample) const
    {
        const std::uint64_t key = keyOf(ownSeed);
        for (std::size_t index = 0; index < m_values.size(); ++index) {
            kernels::RandomStream stream(key, static_cast<std::uint64_t>(m_first) + index);
            m_values[index] = sample(stream);
        }
    }
    void uniform(std::optional<std::int64_t> seed, double minimum, double maximum) const
    {
        fill(seed, [&](kernels::RandomStream& stream) {
            return stream.nextUniform(static_cast<float>(minimum), static_cast<float>(maximum));
        });
    }
    void normal(std::optional<std::int64_t> seed, double mean, double stddev) const
    {
        fill(seed, [&](kernels::RandomStream& stream) {
            return static_cast<float>(mean + stddev * stream.nextNormal());
        });
    }
    void truncatedNormal(std::optional<std::int64_t> seed, double mean, double stddev) const
    {
        fill(seed, [&](kernels::RandomStream& stream) {
            return static_cast<float>(mean + stddev * stream.nextTruncatedNormal());
        });
    }
    /// Of the whole variable, seen as a matrix of all dimensions but the last by the last one, as
    /// in Keras; this part is copied from it.
    void orthogonal(std::optional<std::int64_t> ownSeed, const Shape& shape, double gain) const
    {
        const std::uint64_t key = keyOf(ownSeed);
        const std::int64_t cols = shape.dims.back();
        const std::vector<float> all =
            orthogonalValues(shape.elementCount() / cols, cols, [&](std::int64_t index) {
                return static_cast<double>(
                    kernels::RandomStream(key, static_cast<std::uint64_t>(index)).nextNormal());
            });
        const auto scale = static_cast<float>(gain);
        std::transform(all.begin() + m_first,
                       all.begin() + m_first + static_cast<std::ptrdiff_t>(m_values.size()),
                       m_values.begin(), [scale](float value) { return value * scale; });
    }
    void identity(const Shape& shape, double gain) const
    {
        const std::int64_t cols = shape.dims[1];
        for (std::size_t index = 0; index < m_values.size(); ++index) {
            const std::int64_t element = m_first + static_cast<std::int64_t>(index);
            m_values[index] = element / cols == element % cols ? static_cast<float>(gain) : 0.0F;
        }
    }
    void openForgetGate(const Shape& shape) const
    {
        const std::int64_t units = shape.elementCount() / 4;
        for (std::size_t index = 0; index < m_values.size(); ++index) {
            const std::int64_t element = m_first + static_cast<std::int64_t>(index);
            m_values[index] = element / units == 1 ? 1.0F : 0.0F;
        }
    }
    void constant(const spec::ConstantInitializer& message) const
    {
        for (std::size_t index = 0; index < m_values.size(); ++index) {
            const auto element = static_cast<int>(m_first + static_cast<std::int64_t>(index));
            m_values[index] =
                static_cast<float>(message.value(message.value_size() == 1 ? 0 : element));
        }
    }

private:
    std::uint64_t keyOf(std::optional<std::int64_t> ownSeed) const
    {
        const std::uint64_t seed = ownSeed ? static_cast<std::uint64_t>(*ownSeed) : m_seed;
        return m_key ^ (seed * kSeedFactor);
    }

    std::uint64_t m_key;
    std::uint64_t m_seed;
    std::span<float> m_values;
    std::int64_t m_first;
};

template <typename Message>
std::optional<std::int64_t> seedOf(const Message& message)
{
    return message.has_seed() ? std::optional<std::int64_t>(message.seed()) : std::nullopt;
}

/// Keras's VarianceScaling: values whose variance is `scale` over a number of inputs or outputs.
void drawScaled(const Draw& draw, std::optional<std::int64_t> seed, double scale, double fan)
{
    draw.truncatedNormal(seed, 0.0, std::sqrt(scale / fan) / kTruncatedDeviation);
}

void drawScaledUniform(const Draw& draw, std::optional<std::int64_t> seed, double scale, double fan)
{
    const double limit = std::sqrt(3.0 * scale / fan);
    draw.uniform(seed, -limit, limit);
}

void drawVarianceScaling(const Draw& draw, const spec::VarianceScalingInitializer& how,
                         const graph::Fans& fans)
{
    const double fan = how.mode() == spec::VarianceScalingMode::fan_in ? fans.in
                       : how.mode() == spec::VarianceScalingMode::fan_out
                           ? fans.out
                           : (fans.in + fans.out) / 2;
    switch (how.distribution()) {
    case spec::VarianceScalingDistribution::truncated_normal:
        return drawScaled(draw, seedOf(how), how.scale(), fan);
    case spec::VarianceScalingDistribution::untruncated_normal:
        return draw.normal(seedOf(how), 0.0, std::sqrt(how.scale() / fan));
    case spec::VarianceScalingDistribution::uniform:
        return drawScaledUniform(draw, seedOf(how), how.scale(), fan);
    }
}

/// Whether the initializer looks at the number of inputs or outputs.
bool drawByFans(const Draw& draw, const spec::Initializer& how, const graph::Fans& fans)
{
    const double mean = (fans.in + fans.out) / 2.0;
    switch (how.kind_case()) {
    case spec::Initializer::kGlorotUniform:
        drawScaledUniform(draw, seedOf(how.glorot_uniform()), 1.0, mean);
        return true;
    case spec::Initializer::kGlorotNormal:
        drawScaled(draw, seedOf(how.glorot_normal()), 1.0, mean);
        return true;
    case spec::Initializer::kHeUniform:
        drawScaledUniform(draw, seedOf(how.he_uniform()), 2.0, fans.in);
        return true;
    case spec::Initializer::kHeNormal:
        drawScaled(draw, seedOf(how.he_normal()), 2.0, fans.in);
        return true;
    case spec::Initializer::kLecunUniform:
        drawScaledUniform(draw, seedOf(how.lecun_uniform()), 1.0, fans.in);
        return true;
    case spec::Initializer::kLecunNormal:
        drawScaled(draw, seedOf(how.lecun_normal()), 1.0, fans.in);
        return true;
    case spec::Initializer::kVarianceScaling:
        drawVarianceScaling(draw, how.variance_scaling(), fans);
        return true;
    default:
        return false;
    }
}

} // namespace

void drawInitialValues(const graph::Variable& variable, std::uint64_t seed, std::span<float> values,
                       std::int64_t first)
{
    const Draw draw(variable, seed, values, first);
    if (variable.pattern == graph::InitialPattern::ForgetGateOpen) {
        draw.openForgetGate(variable.shape);
        return;
    }
    const spec::Initializer& how = variable.initializer;
    if (drawByFans(draw, how, graph::fansOf(variable.shape))) {
        return;
    }
    switch (how.kind_case()) {
    case spec::Initializer::kOnes:
        std::fill(values.begin(), values.end(), 1.0F);
        return;
    case spec::Initializer::kConstant:
        draw.constant(how.constant());
        return;
    case spec::Initializer::kRandomUniform:
        draw.uniform(seedOf(how.random_uniform()), how.random_uniform().minval(),
                     how.random_uniform().maxval());
        return;
    case spec::Initializer::kRandomNormal:
        draw.normal(seedOf(how.random_normal()), how.random_normal().mean(),
                    how.random_normal().stddev());
        return;
    case spec::Initializer::kTruncatedNormal:
        draw.truncatedNormal(seedOf(how.truncated_normal()), how.truncated_normal().mean(),
                             how.truncated_normal().stddev());
        return;
    case spec::Initializer::kOrthogonal:
        draw.orthogonal(seedOf(how.orthogonal()), variable.shape, how.orthogonal().gain());
        return;
    case spec::Initializer::kIdentity:
        draw.identity(variable.shape, how.identity().gain());
        return;
    default:
        std::fill(values.begin(), values.end(), 0.0F);
        return;
    }
}

} // namespace cannery::plan
