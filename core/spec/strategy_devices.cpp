// SPDX-License-Identifier: Apache-2.0
#include "core/spec/strategy_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>

namespace cannery::spec {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr ErrorKind kDeviceName{"spec.device_name",
                                "'{0}' is not the name of a device: write \"CPU:0\", \"GPU:0\" and "
                                "so on; one_device also takes "
                                "\"auto\"."};

std::string upper(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char letter) {
        return static_cast<char>(std::toupper(letter));
    });
    return result;
}

/// The field of a kind of strategy that lists devices; null if it takes no list.
const FieldDescriptor* deviceList(const FieldDescriptor* kind)
{
    for (int i = 0; i < kind->message_type()->field_count(); ++i) {
        const FieldDescriptor* field = kind->message_type()->field(i);
        if (field->is_repeated() && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
            return field;
        }
    }
    return nullptr;
}

} // namespace

Result<Device> parseDevice(std::string_view name)
{
    std::string_view rest = name;
    // TensorFlow accepts a full name; every part of it but the device is a constant here.
    for (const std::string_view part : {"/job:localhost", "/replica:0", "/task:0", "/device:"}) {
        if (rest.starts_with(part)) {
            rest.remove_prefix(part.size());
        }
    }
    if (rest.starts_with('/')) {
        rest.remove_prefix(1);
    }
    const std::size_t colon = rest.find(':');
    Device device{.type = upper(rest.substr(0, colon))};
    const std::string_view index =
        colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(index.data(), index.data() + index.size(), device.index);
    const bool isKnown = device.type == "CPU" || device.type == "GPU";
    if (!isKnown || error != std::errc() || end != index.data() + index.size() ||
        device.index < 0) {
        return fail(ErrorCode::InvalidArgument, kDeviceName, name);
    }
    return device;
}

TrainingPlace trainingPlaceOf(const Strategy& strategy)
{
    using Kind = TrainingPlace::Kind;
    if (strategy.has_one_device() && strategy.one_device().device() == kFasterDevice) {
        return {.kind = Kind::Faster};
    }
    if (strategy.has_mirrored() && strategy.mirrored().devices().empty()) {
        return {.kind = Kind::AnyGpu};
    }
    if (strategy.multi_worker_mirrored().communication_options().implementation() ==
        CommunicationImplementation::NCCL) {
        return {.kind = Kind::TaskGpu};
    }
    std::vector<std::string> names(strategy.mirrored().devices().begin(),
                                   strategy.mirrored().devices().end());
    // A strategy without a list of devices has the one of one_device, or none.
    if (names.empty()) {
        names.push_back(strategy.one_device().device());
    }
    TrainingPlace place;
    for (const std::string& name : names) {
        if (const Result<Device> device = parseDevice(name); device && device->type == "GPU") {
            place.kind = Kind::Gpu;
            place.gpus.push_back(device->index);
        }
    }
    return place;
}

StrategyDevices devicesOf(const Strategy& strategy, const SpecPath& path)
{
    const FieldDescriptor* kind = strategy.GetReflection()->GetOneofFieldDescriptor(
        strategy, Strategy::descriptor()->oneof_decl(0));
    StrategyDevices devices;
    if (kind == nullptr) {
        return devices;
    }
    const Message& member = strategy.GetReflection()->GetMessage(strategy, kind);
    const FieldDescriptor* field = deviceList(kind);
    if (field != nullptr) {
        devices.path = path.child(kind->name()).child(field->name());
        const google::protobuf::Reflection* reflection = member.GetReflection();
        for (int index = 0; index < reflection->FieldSize(member, field); ++index) {
            devices.names.push_back(reflection->GetRepeatedString(member, field, index));
        }
    }
    return devices;
}

Strategy withKind(const Strategy& strategy, Strategy::KindCase kind, std::int64_t cpus)
{
    Strategy changed = strategy;
    const FieldDescriptor* field = Strategy::descriptor()->FindFieldByNumber(kind);
    Message* member = changed.GetReflection()->MutableMessage(&changed, field);
    // Its other fields stay: virtual_shards and precision hold for any kind.
    member->Clear();
    if (const FieldDescriptor* devices = deviceList(field); devices != nullptr) {
        for (std::int64_t index = 0; index < cpus; ++index) {
            member->GetReflection()->AddString(member, devices, fmt::format("CPU:{}", index));
        }
    }
    return changed;
}

std::int64_t replicasPerProcess(const Strategy& strategy)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(devicesOf(strategy).names.size()));
}

std::int64_t batchesPerEvaluationStep(const RunConfig& config)
{
    const Strategy& strategy = config.eval_distribute();
    return strategy.has_virtual_shards() ? std::max<std::int64_t>(1, strategy.virtual_shards())
                                         : replicasPerProcess(strategy);
}

std::string sharingCure(std::int64_t count, std::string_view sharers)
{
    const auto number = static_cast<std::uint64_t>(count);
    // virtual_shards is a power of two, and so is any share of it.
    if (std::has_single_bit(number)) {
        return fmt::format("set virtual_shards to {}, or leave it out", count);
    }
    return fmt::format("virtual_shards is a power of two, which {0} {1} never share; take {2} or "
                       "{3} {1}, or leave it out",
                       count, sharers, std::bit_floor(number), std::bit_ceil(number));
}

} // namespace cannery::spec
