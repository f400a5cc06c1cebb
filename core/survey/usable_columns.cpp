// SPDX-License-Identifier: Apache-2.0
#include "core/survey/usable_columns.h"

#include "core/features/column_builder.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"

#include <algorithm>

namespace cannery::survey {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void keepOnly(spec::Estimator& estimator, const std::string& listName,
              const std::vector<std::string>& handles)
{
    Message& member =
        *estimator.GetReflection()->MutableMessage(&estimator, spec::memberField(estimator));
    const FieldDescriptor& list = *member.GetDescriptor()->FindFieldByName(listName);
    member.GetReflection()->ClearField(&member, &list);
    for (const std::string& handle : handles) {
        member.GetReflection()->AddString(&member, &list, handle);
    }
}

} // namespace

std::vector<ColumnProblem> removeUnusable(spec::Experiment& resolved,
                                          const std::filesystem::path& folder)
{
    std::vector<ColumnProblem> problems;
    features::ColumnBuilder builder(resolved, folder);
    for (const spec::PartColumns& part : spec::partColumnsOf(resolved.estimator())) {
        std::vector<std::string> usable;
        for (const std::string& handle : part.handles) {
            const auto isKnown =
                std::any_of(problems.begin(), problems.end(),
                            [&](const ColumnProblem& problem) { return problem.column == handle; });
            if (isKnown) {
                continue;
            }
            if (const auto slots = builder.slotsOf(handle); slots) {
                usable.push_back(handle);
            } else {
                problems.push_back({handle, slots.error()});
            }
        }
        if (usable.size() < part.handles.size()) {
            keepOnly(*resolved.mutable_estimator(), part.field, usable);
        }
    }
    return problems;
}

reports::ReportList<reports::ColumnProblem>
columnProblemsReport(const std::vector<ColumnProblem>& problems)
{
    reports::ReportList<reports::ColumnProblem> list;
    for (const ColumnProblem& problem : problems) {
        reports::ColumnProblem& row = *list.Add();
        row.set_column(problem.column);
        row.set_id(problem.error.id);
        row.set_path(problem.error.path);
        row.set_problem(problem.error.message());
    }
    return list;
}

} // namespace cannery::survey
