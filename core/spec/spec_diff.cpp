// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_diff.h"

#include "core/spec/message_access.h"
#include "core/spec/text/text_format.h"

#include <algorithm>
#include <set>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

class Differ
{
public:
    void compare(const Message& before, const Message& after, const SpecPath& path);
    std::vector<FieldDifference> take() { return std::move(m_differences); }

private:
    void add(const SpecPath& path, std::string before, std::string after)
    {
        // Two values may differ in the file and print alike, as 1 and 1.0.
        if (before != after) {
            m_differences.push_back({path.toString(), std::move(before), std::move(after)});
        }
    }
    void compareField(const Message& before, const Message& after, const FieldDescriptor& field,
                      const SpecPath& path);
    void compareNamed(const Message& before, const Message& after, const FieldDescriptor& field,
                      const SpecPath& path);
    void compareIndexed(const Message& before, const Message& after, const FieldDescriptor& field,
                        const SpecPath& path);

    std::vector<FieldDifference> m_differences;
};

void Differ::compare(const Message& before, const Message& after, const SpecPath& path)
{
    const auto& descriptor = *before.GetDescriptor();
    for (int i = 0; i < descriptor.field_count(); ++i) {
        const FieldDescriptor& field = *descriptor.field(i);
        compareField(before, after, field, path.child(field.name()));
    }
}

void Differ::compareField(const Message& before, const Message& after, const FieldDescriptor& field,
                          const SpecPath& path)
{
    const Reflection& reflection = *before.GetReflection();
    if (!isMessage(field)) {
        add(path, printValue(before, field), printValue(after, field));
    } else if (field.is_repeated()) {
        // By name where elements have names, so that a moved column is not a difference.
        hasName(*field.message_type()) ? compareNamed(before, after, field, path)
                                       : compareIndexed(before, after, field, path);
    } else if (reflection.HasField(before, &field) && reflection.HasField(after, &field)) {
        compare(reflection.GetMessage(before, &field), reflection.GetMessage(after, &field), path);
    } else {
        // A message that is on one side only is shown as a whole.
        add(path, printValue(before, field), printValue(after, field));
    }
}

/// Index of each element by name; an element whose name is empty or a duplicate is left out.
std::vector<std::string> uniqueNames(const Message& message, const FieldDescriptor& field)
{
    std::vector<std::string> names;
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
        names.push_back(elementName(message, field, i));
    }
    return names;
}

bool areUnique(const std::vector<std::string>& names)
{
    const std::set<std::string> distinct(names.begin(), names.end());
    // Without unique names, nothing says which elements belong together.
    return distinct.size() == names.size() && distinct.count("") == 0;
}

void Differ::compareNamed(const Message& before, const Message& after, const FieldDescriptor& field,
                          const SpecPath& path)
{
    const Reflection& reflection = *before.GetReflection();
    const std::vector<std::string> old = uniqueNames(before, field);
    const std::vector<std::string> now = uniqueNames(after, field);
    if (!areUnique(old) || !areUnique(now)) {
        return compareIndexed(before, after, field, path);
    }
    const auto named = [&](const std::string& name) {
        SpecPath element = path;
        element.steps.back().name = name;
        return element;
    };
    for (std::size_t i = 0; i < old.size(); ++i) {
        const auto match = std::find(now.begin(), now.end(), old[i]);
        const int index = static_cast<int>(i);
        if (match == now.end()) {
            add(named(old[i]), printValue(before, field, index), {});
        } else {
            compare(
                reflection.GetRepeatedMessage(before, &field, index),
                reflection.GetRepeatedMessage(after, &field, static_cast<int>(match - now.begin())),
                named(old[i]));
        }
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (std::find(old.begin(), old.end(), now[i]) == old.end()) {
            add(named(now[i]), {}, printValue(after, field, static_cast<int>(i)));
        }
    }
}

void Differ::compareIndexed(const Message& before, const Message& after,
                            const FieldDescriptor& field, const SpecPath& path)
{
    const Reflection& reflection = *before.GetReflection();
    const int old = reflection.FieldSize(before, &field);
    const int now = reflection.FieldSize(after, &field);
    for (int i = 0; i < std::max(old, now); ++i) {
        if (i < old && i < now) {
            compare(reflection.GetRepeatedMessage(before, &field, i),
                    reflection.GetRepeatedMessage(after, &field, i), path.element(i));
        } else {
            add(path.element(i), i < old ? printValue(before, field, i) : "",
                i < now ? printValue(after, field, i) : "");
        }
    }
}

} // namespace

std::vector<FieldDifference> diff(const Message& before, const Message& after)
{
    Differ differ;
    differ.compare(before, after, {});
    return differ.take();
}

std::string render(const FieldDifference& difference)
{
    if (difference.before.empty()) {
        return fmt::format("{}: added {}", difference.path, difference.after);
    }
    if (difference.after.empty()) {
        return fmt::format("{}: removed {}", difference.path, difference.before);
    }
    return fmt::format("{}: {} -> {}", difference.path, difference.before, difference.after);
}

} // namespace cannery::spec
