// SPDX-License-Identifier: Apache-2.0
#include "core/spec/class_weights.h"

#include "core/spec/canned_head.h"
#include "core/spec/checks/name_rules.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"

#include <charconv>
#include <optional>
#include <set>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kHead{"spec.class_weight_head",
                          "class_weight needs an estimator with one head that assigns each row to "
                          "one class, which this is not: remove it."};
constexpr ErrorKind kClass{"spec.class_weight_class", "There is no class {0}: the model has {1}."};
constexpr ErrorKind kTwice{"spec.class_weight_twice",
                           "The class {0} has two weights: keep one of them."};

constexpr int kNamedClasses = 5;

/// The vocabulary of a head whose label is one class; nullptr of any other.
const FieldDescriptor* vocabularyOf(const Head& head)
{
    const HeadKind* kind = findHeadKind(head);
    return kind == nullptr || kind->labels == LabelKind::MultiHot ||
                   kind->labels == LabelKind::Number
               ? nullptr
               : memberOf(head)->GetDescriptor()->FindFieldByName("label_vocabulary");
}

std::string wordsOf(const Message& head, const FieldDescriptor& vocabulary, int count)
{
    std::string text;
    for (int i = 0; i < std::min(count, kNamedClasses); ++i) {
        text += (i == 0 ? "" : ", ") +
                shownName(head.GetReflection()->GetRepeatedString(head, &vocabulary, i));
    }
    return count > kNamedClasses ? text + fmt::format(" and {} more", count - kNamedClasses) : text;
}

} // namespace

Result<std::int64_t> weightedClass(const Head& head, const std::string& label)
{
    const FieldDescriptor* vocabulary = vocabularyOf(head);
    if (vocabulary == nullptr) {
        return fail(ErrorCode::InvalidArgument, kHead);
    }
    const Message& member = *memberOf(head);
    const int words = member.GetReflection()->FieldSize(member, vocabulary);
    // A word of the vocabulary names its class even if it looks like a number.
    for (int i = 0; i < words; ++i) {
        if (member.GetReflection()->GetRepeatedString(member, vocabulary, i) == label) {
            return i;
        }
    }
    if (words > 0) {
        return fail(ErrorCode::NotFound, kClass, shownName(label),
                    wordsOf(member, *vocabulary, words));
    }
    std::int64_t id = -1;
    const char* end = label.data() + label.size();
    const auto read = std::from_chars(label.data(), end, id);
    // from_chars() stops at the first other character: all of the label must be a number.
    if (read.ec != std::errc() || read.ptr != end || id < 0 || id >= classCount(head)) {
        return fail(ErrorCode::NotFound, kClass, shownName(label),
                    fmt::format("0 to {}", classCount(head) - 1));
    }
    return id;
}

void checkClassWeights(ValidationContext& context)
{
    const TrainSpec& training = context.experiment.train_spec();
    const Head head = headOf(context.experiment.estimator());
    if (head.kind_case() == Head::KIND_NOT_SET) {
        // The missing estimator is reported elsewhere.
        return;
    }
    std::set<std::int64_t> seen;
    for (int i = 0; i < training.class_weight_size(); ++i) {
        const ClassWeight& one = training.class_weight(i);
        const SpecPath path = SpecPath{}.child("train_spec").child("class_weight").element(i);
        // Reported by the field's own rule.
        if (!one.has_label()) {
            continue;
        }
        const Result<std::int64_t> id = weightedClass(head, one.label());
        if (!id) {
            context.report(path.child("label"), id.error());
        } else if (!seen.insert(*id).second) {
            context.report(path.child("label"),
                           error(ErrorCode::AlreadyExists, kTwice, shownName(one.label())));
        }
    }
}

} // namespace cannery::spec
