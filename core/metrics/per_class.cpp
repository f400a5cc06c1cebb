// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/per_class.h"

#include "core/metrics/class_counts.h"

#include <array>

namespace cannery::metrics {
namespace {

constexpr std::array kColumns{"precision", "recall", "f1", "rows"};

class PerClass : public Metric
{
public:
    explicit PerClass(const MetricSubject& subject)
        : m_names(subject.classes), m_counts(subject, 0.5F, ClassCounts::Ties::First, true)
    {}

    void update(const MetricBatch& batch) override { m_counts.update(batch); }
    void reset() override { m_counts.reset(); }
    void merge(const Metric& other) override
    {
        m_counts.merge(static_cast<const PerClass&>(other).m_counts);
    }

    /// The F1 of all classes together; its numbers are those of each.
    double result() const override { return m_counts.f1OfAll(); }

    void addResults(const std::string& name, std::vector<MetricValue>& values) const override
    {
        for (std::size_t i = 0; i < m_counts.count(); ++i) {
            const auto numbers = numbersOf(i);
            for (std::size_t column = 0; column < kColumns.size(); ++column) {
                values.push_back({.name = name + "/" + m_names[i] + "/" + kColumns[column],
                                  .value = numbers[column]});
            }
        }
    }

    std::optional<MetricTable> table(const std::string& name) const override
    {
        MetricTable table{
            .name = name, .rows = m_names, .columns = {kColumns.begin(), kColumns.end()}};
        for (std::size_t i = 0; i < m_counts.count(); ++i) {
            const auto numbers = numbersOf(i);
            table.values.insert(table.values.end(), numbers.begin(), numbers.end());
        }
        return table;
    }

private:
    std::array<double, kColumns.size()> numbersOf(std::size_t index) const
    {
        return {m_counts.precision(index), m_counts.recall(index), m_counts.f1(index),
                m_counts.labels(index)};
    }

    std::vector<std::string> m_names;
    ClassCounts m_counts;
};

} // namespace

std::unique_ptr<Metric> makePerClass(const spec::Metric&, const MetricSubject& subject)
{
    return std::make_unique<PerClass>(subject);
}

} // namespace cannery::metrics
