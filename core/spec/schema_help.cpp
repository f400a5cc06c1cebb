// SPDX-License-Identifier: Apache-2.0
#include "core/spec/schema_help.h"

#include "core/base/catalog.h"
#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/text/scalar_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace cannery::spec {

namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

/// "hash_bucket_size" becomes "Hash bucket size", "dnn_optimizer" "DNN optimizer".
std::string labelFrom(std::string name)
{
    std::replace(name.begin(), name.end(), '_', ' ');
    // An abbreviation keeps its capitals.
    if (name.starts_with("dnn ")) {
        name.replace(0, 3, "DNN");
    }
    if (!name.empty()) {
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    }
    return name;
}

std::string typeOf(const FieldDescriptor& field)
{
    if (isMessage(field)) {
        return field.message_type()->name();
    }
    if (const EnumDescriptor* choices = field.enum_type()) {
        // Enums are wrapped in a message of their name, as DataType { enum Name }, so that is the
        // name to show.
        const Descriptor* owner = choices->containing_type();
        return owner == nullptr ? choices->name() : owner->name();
    }
    return field.type_name();
}

/// A message of that name among those that an experiment can contain.
const Descriptor* findMessage(const std::string& name)
{
    // Names of messages are looked up in our package only.
    return google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
        "cannery.spec." + name);
}

std::string wrapped(const std::string& text, std::size_t indent)
{
    constexpr std::size_t kColumns = 96;
    std::string out;
    std::size_t column = indent;
    std::string word;
    const auto flush = [&] {
        // Words are never broken, so a line may be longer than the width if a single word is.
        if (!word.empty() && column + word.size() + 1 > kColumns) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (!out.empty() && !word.empty()) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        word.clear();
    };
    for (const char c : text) {
        if (c == ' ') {
            flush();
        } else {
            word += c;
        }
    }
    flush();
    return out;
}

/// From here on, an upper bound only prevents overflow: it is never reached in practice.
constexpr double kOutOfReach = 2147483647;

std::string rangeText(const FieldHelp& field)
{
    const std::string_view open = field.exclusive ? "(" : "[";
    const std::string_view close = field.exclusive ? ")" : "]";
    if (field.min && field.max && *field.max < kOutOfReach) {
        return fmt::format("{}{}, {}{}", open, numberText(*field.min), numberText(*field.max),
                           close);
    }
    if (field.min) {
        return fmt::format("{} {}", field.exclusive ? "greater than" : "at least",
                           numberText(*field.min));
    }
    if (field.max) {
        return fmt::format("{} {}", field.exclusive ? "less than" : "at most",
                           numberText(*field.max));
    }
    return {};
}

/// "list of int64, at least 1 element, each at least 1, steps, default 100".
std::string factsOf(const FieldHelp& field)
{
    std::vector<std::string> facts;
    facts.push_back((field.repeated ? "list of " : "") + field.type);
    if (field.minCount > 0) {
        facts.push_back(
            fmt::format("at least {} element{}", field.minCount, field.minCount == 1 ? "" : "s"));
    }
    if (const std::string range = rangeText(field); !range.empty()) {
        facts.push_back((field.repeated ? "each " : "") + range);
    }
    if (!field.unit.empty()) {
        facts.push_back("in " + field.unit);
    }
    if (field.zeroMeansNone) {
        facts.emplace_back("0 means none");
    }
    if (field.required) {
        facts.emplace_back("required");
    }
    if (!field.defaultText.empty()) {
        facts.push_back("default " + field.defaultText);
    }
    return fmt::format("{}", fmt::join(facts, ", "));
}

void appendField(std::string& text, const FieldHelp& field)
{
    text +=
        fmt::format("  {}  ({})\n      {}\n", field.name, factsOf(field), wrapped(field.help, 6));
    if (!field.choices.empty()) {
        text += fmt::format("      one of: {}\n",
                            wrapped(fmt::format("{}", fmt::join(field.choices, ", ")), 14));
    }
}

constexpr std::string_view kNoGroupYet = "-";

/// Members of a oneof are grouped below a heading.
void appendFields(std::string& text, const MessageHelp& message, bool expert)
{
    bool hidden = false;
    std::string group(kNoGroupYet);
    for (const FieldHelp& field : message.fields) {
        if (field.expert && !expert) {
            // Mentioned at the end, so that nobody takes the list for complete.
            hidden = true;
            continue;
        }
        // A group ends where a field of another oneof, or of none, begins.
        if (field.oneofGroup != group) {
            text += field.oneofGroup.empty() ? (group == kNoGroupYet ? "\n" : "\nBesides:\n")
                                             : "\nOne of these:\n";
            group = field.oneofGroup;
        }
        appendField(text, field);
    }
    if (hidden) {
        text += "\nFields for experts are not shown: ask for them with --expert.\n";
    }
}

} // namespace

FieldHelp describeField(const FieldDescriptor& field)
{
    const FieldInfo& info = infoOf(field);
    FieldHelp help;
    help.name = field.name();
    // A field without a label of its own is called by its name.
    help.label = info.label().empty() ? labelFrom(field.name()) : info.label();
    help.help = info.help();
    help.type = typeOf(field);
    help.repeated = field.is_repeated();
    help.message = isMessage(field);
    help.required = info.required();
    help.expert = info.expert();
    help.zeroMeansNone = info.zero_means_none();
    help.defaultText = defaultText(field);
    help.unit = info.unit();
    help.min = info.has_min() ? std::optional(info.min()) : std::nullopt;
    help.max = info.has_max() ? std::optional(info.max()) : std::nullopt;
    help.exclusive = info.exclusive();
    help.minCount = static_cast<int>(info.min_count());
    if (const EnumDescriptor* choices = field.enum_type()) {
        // An option may allow only some values of an enum.
        help.choices = {info.among().begin(), info.among().end()};
        for (int i = 0; i < choices->value_count() && info.among().empty(); ++i) {
            help.choices.push_back(choices->value(i)->name());
        }
    }
    if (const auto* oneof = field.containing_oneof()) {
        help.oneofGroup = oneof->name();
    }
    return help;
}

MessageHelp describeMessage(const Descriptor& message)
{
    const MessageInfo& info = message.options().GetExtension(about);
    MessageHelp help{message.name(), info.label().empty() ? message.name() : info.label(),
                     info.help(), info.family()};
    for (int i = 0; i < message.field_count(); ++i) {
        help.fields.push_back(describeField(*message.field(i)));
    }
    return help;
}

Result<SchemaEntry> describeSchema(std::string_view path)
{
    const std::string name(path);
    if (path.empty() || path == "experiment") {
        return SchemaEntry{name, std::nullopt, describeMessage(*Experiment::descriptor())};
    }
    // A name of a message comes before a path: no field is called like one.
    if (const Descriptor* message = findMessage(name)) {
        return SchemaEntry{name, std::nullopt, describeMessage(*message)};
    }
    CANNERY_TRY_ASSIGN(const SpecPath steps, parsePath(path));
    CANNERY_TRY_ASSIGN(const FieldDescriptor* field,
                       describePath(Experiment::default_instance(), steps));
    SchemaEntry entry{name, describeField(*field), std::nullopt};
    if (isMessage(*field)) {
        entry.message = describeMessage(*field->message_type());
    }
    return entry;
}

Result<std::string> helpFor(std::string_view path, bool expert)
{
    CANNERY_TRY_ASSIGN(const SchemaEntry entry, describeSchema(path));
    std::string text;
    if (entry.field) {
        text += fmt::format("{}  ({})\n    {}\n", entry.path, factsOf(*entry.field),
                            wrapped(entry.field->help, 4));
        if (!entry.field->choices.empty()) {
            text +=
                fmt::format("    one of: {}\n",
                            wrapped(fmt::format("{}", fmt::join(entry.field->choices, ", ")), 12));
        }
    }
    if (entry.message) {
        text += text.empty() ? "" : "\n";
        text += fmt::format("{}\n    {}\n", entry.message->name, wrapped(entry.message->help, 4));
        appendFields(text, *entry.message, expert);
    }
    return text;
}

} // namespace cannery::spec
