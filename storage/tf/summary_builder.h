// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tf/histogram.h"

#include <string>
#include <string_view>

namespace cannery::storage {

/// The values logged at one step, in the order of the calls: one Summary message. Clearing it and
/// refilling it with scalars allocates nothing.
class SummaryBuilder
{
public:
    /// In the form that Estimator writes and every reader accepts (`simple_value`).
    SummaryBuilder& scalar(std::string_view tag, float value);
    SummaryBuilder& histogram(std::string_view tag, const Histogram& histogram);
    /// A scalar string tensor without metadata, as Estimator writes `checkpoint_path`.
    SummaryBuilder& stringTensor(std::string_view tag, std::string_view value);
    /// Markdown for TensorBoard's Text panel.
    SummaryBuilder& text(std::string_view tag, std::string_view markdown);

    bool isEmpty() const { return m_bytes.empty(); }
    void clear() { m_bytes.clear(); }
    /// The Summary in wire format; valid until the next call.
    const std::string& serialized() const { return m_bytes; }

private:
    void append(std::string_view value);

    std::string m_bytes;
};

} // namespace cannery::storage
