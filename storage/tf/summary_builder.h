#pragma once

#include "storage/tf/histogram.h"

#include <memory>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The values logged at one step, in the order of the calls: one Summary message.
class SummaryBuilder
{
public:
    SummaryBuilder();
    SummaryBuilder(SummaryBuilder&&) noexcept;
    SummaryBuilder& operator=(SummaryBuilder&&) noexcept;
    ~SummaryBuilder();

    /// In the form that Estimator writes and every reader takes (`simple_value`).
    SummaryBuilder& scalar(std::string_view tag, float value);
    SummaryBuilder& histogram(std::string_view tag, const Histogram& histogram);
    /// A scalar string tensor without metadata, as Estimator writes `checkpoint_path`.
    SummaryBuilder& stringTensor(std::string_view tag, std::string_view value);
    /// Markdown for TensorBoard's Text panel.
    SummaryBuilder& text(std::string_view tag, std::string_view markdown);

    bool isEmpty() const;
    void clear();
    /// The Summary on the wire.
    std::string serialized() const;

private:
    struct Values;
    std::unique_ptr<Values> m_values;
};

} // namespace cannery::storage
