// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/majority_share.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace cannery::metrics {
namespace {

class MajorityShare : public Metric
{
public:
    /// Allocates only if a class id is larger than any before.
    void update(const MetricBatch& batch) override
    {
        for (std::size_t row = 0; row < batch.labels.size(); ++row) {
            const auto id = static_cast<std::size_t>(std::max(0.0F, batch.labels[row]));
            if (id >= m_weights.size()) {
                m_weights.resize(id + 1, 0.0);
            }
            m_weights[id] += batch.weight(row);
        }
    }

    double result() const override
    {
        const double total = std::accumulate(m_weights.begin(), m_weights.end(), 0.0);
        return total == 0.0 ? 0.0 : *std::max_element(m_weights.begin(), m_weights.end()) / total;
    }

    void reset() override { std::fill(m_weights.begin(), m_weights.end(), 0.0); }

    void merge(const Metric& other) override
    {
        const auto& share = static_cast<const MajorityShare&>(other);
        m_weights.resize(std::max(m_weights.size(), share.m_weights.size()), 0.0);
        for (std::size_t id = 0; id < share.m_weights.size(); ++id) {
            m_weights[id] += share.m_weights[id];
        }
    }

private:
    std::vector<double> m_weights; ///< per class id
};

} // namespace

std::unique_ptr<Metric> makeMajorityShare(float)
{
    return std::make_unique<MajorityShare>();
}

} // namespace cannery::metrics
