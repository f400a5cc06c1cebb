// SPDX-License-Identifier: Apache-2.0
// Rules of LinearSDCA (estimator-canon §1.8): the models that it trains, and what has no meaning
// for it.

#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/example_id.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"

#include <vector>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kLinearOnly{
    "spec.sdca_linear_only",
    "{0} trains linear models only: choose another optimizer, or linear_classifier, "
    "linear_regressor or linear_estimator."};
constexpr ErrorKind kCombiner{"spec.sdca_combiner",
                              "{0} adds up the weights of several ids in a cell: set "
                              "sparse_combiner to sum, or choose another optimizer."};
constexpr ErrorKind kHead{
    "spec.sdca_head",
    "{0} fits one logit by the logistic or the squared loss: two classes, or one number per row "
    "without inverse_link_fn. Change the head, or choose another optimizer."};
constexpr ErrorKind kColumn{
    "spec.sdca_column",
    "'{0}' (kind: {1}) has weights of its own, which {2} does not train: name the column that it "
    "is made of, or wrap that in an indicator_column."};
constexpr ErrorKind kShape{
    "spec.sdca_column_shape",
    "'{0}' has rows of {1} dimensions, and {2} reads numbers or lists of numbers: give it a shape "
    "of one dimension."};
constexpr ErrorKind kArgument{
    "spec.sdca_argument",
    "{0} has no effect on {1}, which takes no steps along a gradient: leave it out."};
constexpr ErrorKind kStart{
    "spec.sdca_start",
    "{0} starts at weights of 0, to which its dual variables belong: leave {1} out."};
constexpr ErrorKind kTables{
    "spec.sdca_tables",
    "{0} tables of dual variables are more than {1}: lower num_table_shards, on which the result "
    "does not depend."};

constexpr std::int64_t kMostTables = 1024;

bool fitsOneLogit(const Head& head)
{
    const HeadKind* kind = findHeadKind(head);
    // The dual of a softmax is a vector, which TensorFlow's kernel has not either.
    if (kind == nullptr || labelWidth(head) != 1 ||
        (kind->loss != HeadLoss::Squares && kind->loss != HeadLoss::Sigmoid)) {
        return false;
    }
    const Message& member = *memberOf(head);
    const FieldDescriptor* link = member.GetDescriptor()->FindFieldByName("inverse_link_fn");
    // A link would change the loss that the dual belongs to.
    return link == nullptr || !member.GetReflection()->HasField(member, link);
}

class SdcaChecker
{
public:
    SdcaChecker(ValidationContext& context, const ExampleId& id)
        : m_context(context), m_estimator(context.experiment.estimator()),
          m_member(*memberOf(m_estimator)), m_id(id), m_path(id.optimizer.parent())
    {}

    void model()
    {
        const FieldDescriptor* combiner =
            m_member.GetDescriptor()->FindFieldByName("sparse_combiner");
        if (combiner == nullptr) {
            report(m_id.optimizer.child(m_id.kind), kLinearOnly, m_id.kind);
            return;
        }
        // The dual counts each id by itself: a mean would give each a weight that depends on the
        // row.
        if (m_member.GetReflection()->GetEnumValue(m_member, combiner) != Combiner::sum) {
            report(m_path.child("sparse_combiner"), kCombiner, m_id.kind);
        }
        const Head head = headOf(m_estimator);
        if (head.kind_case() != Head::KIND_NOT_SET && !fitsOneLogit(head)) {
            report(m_id.optimizer.child(m_id.kind), kHead, m_id.kind);
        }
        for (const PartColumns& list : partColumnsOf(m_estimator)) {
            for (std::size_t i = 0; i < list.handles.size(); ++i) {
                column(list.handles[i], m_path.child(list.field).element(static_cast<int>(i)));
            }
        }
    }

    void arguments()
    {
        const FieldDescriptor& field =
            *m_member.GetDescriptor()->FindFieldByName(m_id.optimizer.steps.back().field);
        const Message& optimizer = m_member.GetReflection()->GetMessage(m_member, &field);
        const Message& kind = *memberOf(optimizer);
        std::vector<const FieldDescriptor*> given;
        optimizer.GetReflection()->ListFields(optimizer, &given);
        for (const FieldDescriptor* argument : given) {
            // What a run has resolved, a decay of 0 and the usual rules, is as good as not set.
            const bool isNothing =
                (argument->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE &&
                 optimizer.GetReflection()->GetDouble(optimizer, argument) == 0) ||
                (argument->cpp_type() == FieldDescriptor::CPPTYPE_ENUM &&
                 optimizer.GetReflection()->GetEnum(optimizer, argument) ==
                     argument->default_value_enum());
            if (argument->containing_oneof() == nullptr && !isNothing) {
                report(m_id.optimizer.child(argument->name()), kArgument, argument->name(),
                       m_id.kind);
            }
        }
        const FieldDescriptor& tables = *kind.GetDescriptor()->FindFieldByName("num_table_shards");
        const std::int64_t count = kind.GetReflection()->GetInt64(kind, &tables);
        if (count > kMostTables) {
            report(m_id.optimizer.child(m_id.kind).child(tables.name()), kTables, count,
                   kMostTables);
        }
    }

    void start()
    {
        if (m_context.experiment.train_spec().has_linear_start()) {
            report(SpecPath{}.child("train_spec").child("linear_start"), kStart, m_id.kind,
                   "linear_start");
        }
        if (m_context.experiment.has_warm_start()) {
            report(SpecPath{}.child("warm_start"), kStart, m_id.kind, "warm_start");
        }
    }

private:
    template <typename... Arguments>
    void report(const SpecPath& path, const ErrorKind& kind, const Arguments&... arguments)
    {
        m_context.report(path, error(ErrorCode::InvalidArgument, kind, arguments...));
    }

    void column(const std::string& name, const SpecPath& path)
    {
        const FeatureColumn* column = m_context.column(name);
        if (column == nullptr) {
            return; // reported with the names
        }
        if (memberOf(*column)->GetDescriptor()->FindFieldByName("dimension") != nullptr) {
            report(path, kColumn, name, kindName(*column), m_id.kind);
        } else if (column->numeric_column().shape_size() > 1) {
            report(path, kShape, name, column->numeric_column().shape_size(), m_id.kind);
        }
    }

    ValidationContext& m_context;
    const Estimator& m_estimator;
    const Message& m_member;
    const ExampleId& m_id;
    SpecPath m_path; ///< of the estimator
};

} // namespace

void checkLinearSdca(ValidationContext& context)
{
    const std::optional<ExampleId> id = exampleIdOf(context.experiment.estimator());
    if (!id) {
        return;
    }
    SdcaChecker checker(context, *id);
    checker.model();
    checker.arguments();
    checker.start();
}

} // namespace cannery::spec
