// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/reports/check.pb.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::survey {

/// A new text for a field of the experiment.
struct RemarkEdit
{
    std::string path; ///< "data.split.fraction.stratify"
    std::string text; ///< in text format
};

/// What users can do about a remark.
struct RemarkAction
{
    /// "leave_out" (of the features), "category" (rather than a number), "key", "stratify",
    /// "split_by_time", "split" (otherwise), "missing" (a value that stands for none).
    std::string kind;
    std::vector<RemarkEdit> edits; ///< for kinds that only set fields
};

/// Something worth knowing about a table before a model learns from it. The experiment is still
/// valid.
struct TableRemark
{
    Error error; ///< id "remark.…"; a sentence with figures and the remedy
    std::vector<std::string> columns;
    std::vector<RemarkAction> actions;
    bool isNote = false; ///< nothing to decide
};

/// Collects remarks about columns; columns with the same problem share one.
class RemarkList
{
public:
    /// Notes a column with this problem. The sentence gets the columns, the figures of a single
    /// column or the number of columns, and "it" or "them".
    void note(const ErrorKind& kind, const std::string& column, const std::string& figures,
              std::vector<RemarkAction> actions);
    /// Adds the remark of this kind if columns were noted.
    void close(const ErrorKind& kind);
    void add(TableRemark remark) { m_remarks.push_back(std::move(remark)); }

    std::vector<TableRemark> take() && { return std::move(m_remarks); }

private:
    struct Group
    {
        std::vector<std::string> columns;
        std::string figures;               ///< of the last column
        std::vector<RemarkAction> actions; ///< for the last column
    };

    std::map<std::string_view, Group> m_groups;
    std::vector<TableRemark> m_remarks;
};

/// "'a'", "'a' and 'b'", "'a', 'b', 'c' and 40 more".
std::string namedColumns(const std::vector<std::string>& columns);

/// The remarks as answers have them.
reports::Remarks remarksReport(const std::vector<TableRemark>& remarks);

} // namespace cannery::survey
