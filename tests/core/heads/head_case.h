// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/heads/head_catalog.h"
#include "tests/golden/tables/golden_table.h"

#include <QStringList>

#include <vector>

namespace cannery::tests {

/// The schema's form of a head of the goldens: {"class": "BinaryClassHead", arguments}.
spec::Head headMessage(const QJsonObject& description, spec::LossReduction::Kind reduction);

/// Rows × columns of numbers with their width.
struct Numbers
{
    std::vector<float> values;
    std::int64_t width = 1;

    kernels::ConstMatrixView view() const
    {
        return values.empty()
                   ? kernels::ConstMatrixView()
                   : kernels::matrixView(std::span<const float>(values),
                                         static_cast<std::int64_t>(values.size()) / width, width);
    }
};

/// A matrix, or a vector as one column.
Numbers numbersOfRows(const QJsonValue& rows);
/// Logits or labels of the heads of a multi_head, concatenated in this order.
Numbers sideBySide(const std::vector<Numbers>& parts);
/// A label tensor {"dtype", "dense" or "sparse"} as core/data provides it: strings as ids, sparse
/// ids as 0/1 for each of `classes`.
Numbers labelsOf(const QJsonObject& tensor, const QStringList& vocabulary, std::int64_t classes);
QStringList vocabularyOf(const QJsonObject& head);

/// A batch.
struct HeadCase
{
    Numbers logits;
    Numbers labels;
    Numbers weights;

    heads::HeadBatch batch() const { return {logits.view(), labels.view(), weights.view()}; }
};
/// A row of test data "row" for each case of the goldens.
void addHeadRows();
/// That of a case of the goldens; labels and logits of a multi_head side by side.
HeadCase headCaseOf(const QJsonObject& row);

} // namespace cannery::tests
