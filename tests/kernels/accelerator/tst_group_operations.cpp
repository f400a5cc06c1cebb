// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "kernels/accelerator/bodies/element.h"
#include "kernels/accelerator/errors.h"
#include "kernels/cuda/cuda_accelerator.h"
#include "tests/support/emulated_device/emulated_device.h"
#include "tests/support/recording_runtime/recording_runtime.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <functional>
#include <thread>

using namespace cannery;
using namespace cannery::kernels;
using namespace cannery::tests;

/// Operations in which the members of a group meet, by both kinds of devices.
class TstGroupOperations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void partsAreExchangedSummedAndGathered_data();
    void partsAreExchangedSummedAndGathered();
    void sumsAreATree_data();
    void sumsAreATree();
    void gradientsOfRowsComeTogether();
    void membersThatDoDifferentThingsAreRefused();
    void nobodyWaitsForAMemberThatHasFailed();
};

namespace {

using Operations = std::vector<Operation>;

/// A member's device, with memory that goes before it.
struct GroupMember
{
    std::unique_ptr<Accelerator> device;
    std::vector<std::unique_ptr<AcceleratorMemory>> memory;

    template <typename T>
    T* put(const std::vector<T>& values)
    {
        const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
        memory.push_back(*device->allocate(bytes));
        device->upload(Queue::Compute, memory.back()->data(), values.data(), bytes);
        return reinterpret_cast<T*>(memory.back()->data());
    }
    template <typename T>
    std::vector<T> take(const T* values, std::int64_t count)
    {
        std::vector<T> found(static_cast<std::size_t>(count));
        device->download(Queue::Compute, found.data(), reinterpret_cast<const std::byte*>(values),
                         count * std::int64_t{sizeof(T)});
        return found;
    }
};

/// Calls work(rank) on a thread of its own for each member.
void onAll(std::int64_t size, const std::function<void(std::int64_t)>& work)
{
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < size; ++rank) {
        threads.emplace_back([&work, rank] { work(rank); });
    }
}

std::vector<GroupMember> formed(std::int64_t size, RuntimeJournal* journals = nullptr)
{
    std::vector<GroupMember> members(static_cast<std::size_t>(size));
    for (std::int64_t rank = 0; rank < size; ++rank) {
        GroupMember& member = members[static_cast<std::size_t>(rank)];
        if (journals == nullptr) {
            member.device = std::make_unique<EmulatedDevice>(EmulatedOptions(), rank);
            continue;
        }
        const RecordingOptions options{.order = RunOrder::LastStream};
        member.device = *cuda::CudaAccelerator::create(
            std::make_unique<RecordingRuntime>(journals[rank], options), rank,
            {.memoryBytes = options.memoryBytes});
    }
    const GroupId id = EmulatedGroup::makeId();
    onAll(size, [&](std::int64_t rank) {
        const Result<void> isIn = members[static_cast<std::size_t>(rank)].device->join(
            {.id = id, .member = {.rank = rank, .size = size}});
        CANNERY_CHECK(isIn.has_value());
    });
    return members;
}

/// What each member's operations end with.
std::vector<Result<void>> run(std::vector<GroupMember>& members,
                              const std::vector<Operations>& operations)
{
    std::vector<Result<void>> outcomes(members.size());
    onAll(static_cast<std::int64_t>(members.size()), [&](std::int64_t rank) {
        const auto index = static_cast<std::size_t>(rank);
        Accelerator& device = *members[index].device;
        auto graph = device.prepare(operations[index]);
        if (!graph) {
            outcomes[index] = tl::make_unexpected(graph.error());
            return;
        }
        device.launch(**graph);
        outcomes[index] = device.synchronize();
        if (!outcomes[index]) {
            for (GroupMember& member : members) {
                member.device->abandonGroup();
            }
        }
    });
    return outcomes;
}

/// Some number that float32 rounds when it is added.
float valueOf(std::int64_t member, std::int64_t index)
{
    return 0.1F * static_cast<float>(member + 1) + 1000.0F * static_cast<float>(index % 7) +
           static_cast<float>(member * member);
}

float treeSum(std::int64_t first, std::int64_t count, std::int64_t index)
{
    if (count == 1) {
        return valueOf(first, index);
    }
    std::int64_t left = 1;
    while (2 * left < count) {
        left *= 2;
    }
    return treeSum(first, left, index) + treeSum(first + left, count - left, index);
}

} // namespace

void TstGroupOperations::partsAreExchangedSummedAndGathered_data()
{
    QTest::addColumn<int>("size");
    QTest::addColumn<int>("count");
    for (const int size : {2, 3, 5}) {
        for (const int count : {1, 2, 3, 64, 1001}) {
            QTest::addRow("%d values of %d members", count, size) << size << count;
        }
    }
}

void TstGroupOperations::partsAreExchangedSummedAndGathered()
{
    QFETCH(int, size);
    QFETCH(int, count);
    for (const bool isRecorded : {false, true}) {
        std::vector<RuntimeJournal> journals(static_cast<std::size_t>(size));
        {
            std::vector<GroupMember> members = formed(size, isRecorded ? journals.data() : nullptr);
            std::vector<Operations> operations;
            std::vector<float*> values;
            for (std::int64_t rank = 0; rank < size; ++rank) {
                GroupMember& member = members[static_cast<std::size_t>(rank)];
                std::vector<float> own;
                for (std::int64_t i = 0; i < count; ++i) {
                    own.push_back(valueOf(rank, i));
                }
                const GroupRank group{.rank = rank, .size = size};
                const bodies::Part part = bodies::partOf(count, rank, size);
                values.push_back(member.put(own));
                float* const received = member.put(
                    std::vector<float>(static_cast<std::size_t>(size * (part.end - part.begin))));
                operations.push_back(
                    {ExchangeParts{group, values.back(), count, received},
                     SumParts{received, size, part.end - part.begin, values.back() + part.begin},
                     GatherParts{group, values.back(), count}});
            }
            for (const Result<void>& outcome : run(members, operations)) {
                VERIFY_OK(outcome);
            }
            for (std::size_t rank = 0; rank < members.size(); ++rank) {
                const std::vector<float> sums = members[rank].take(values[rank], count);
                for (std::int64_t i = 0; i < count; ++i) {
                    QCOMPARE(sums[static_cast<std::size_t>(i)], treeSum(0, size, i));
                }
            }
        }
        for (const RuntimeJournal& journal : journals) {
            QCOMPARE(journal.mistakes, std::vector<std::string>());
        }
    }
}

void TstGroupOperations::sumsAreATree_data()
{
    QTest::addColumn<int>("parts");
    for (const int parts : {1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 31}) {
        QTest::addRow("%d", parts) << parts;
    }
}

void TstGroupOperations::sumsAreATree()
{
    QFETCH(int, parts);
    constexpr std::int64_t kCount = 9;
    std::vector<float> values;
    for (std::int64_t part = 0; part < parts; ++part) {
        for (std::int64_t i = 0; i < kCount; ++i) {
            values.push_back(valueOf(part, i));
        }
    }
    std::vector<GroupMember> alone = formed(1);
    float* const sums = alone.front().put(std::vector<float>(kCount));
    const auto outcomes = run(alone, {{SumParts{alone.front().put(values), parts, kCount, sums}}});
    VERIFY_OK(outcomes.front());
    const std::vector<float> found = alone.front().take(sums, kCount);
    for (std::int64_t i = 0; i < kCount; ++i) {
        QCOMPARE(found[static_cast<std::size_t>(i)], treeSum(0, parts, i));
    }
}

void TstGroupOperations::gradientsOfRowsComeTogether()
{
    constexpr std::int64_t kSize = 3;
    constexpr std::int64_t kCapacity = 4;
    std::vector<GroupMember> members = formed(kSize);
    std::vector<Operations> operations;
    std::vector<GatherSparse> gathered;
    for (std::int64_t rank = 0; rank < kSize; ++rank) {
        GroupMember& member = members[static_cast<std::size_t>(rank)];
        const auto row = static_cast<std::int32_t>(rank);
        const DeviceSparse own{
            .rows = member.put<std::int32_t>({row, row + 5, 0, 0}),
            .values = member.put<float>({valueOf(rank, 0), 1, valueOf(rank, 1), 2, 0, 0, 0, 0}),
            .count = member.put<std::int64_t>({rank}),
            .capacity = kCapacity,
            .cols = 2,
            .tableRows = 9};
        gathered.push_back({.group = {.rank = rank, .size = kSize},
                            .own = own,
                            .rows = member.put(std::vector<std::int32_t>(kSize * kCapacity)),
                            .values = member.put(std::vector<float>(kSize * kCapacity * 2)),
                            .counts = member.put(std::vector<std::int64_t>(kSize))});
        operations.push_back({gathered.back()});
    }
    for (const Result<void>& outcome : run(members, operations)) {
        VERIFY_OK(outcome);
    }
    for (std::size_t rank = 0; rank < members.size(); ++rank) {
        GroupMember& member = members[rank];
        QCOMPARE(member.take(gathered[rank].counts, kSize), (std::vector<std::int64_t>{0, 1, 2}));
        QCOMPARE(member.take(gathered[rank].rows, kSize * kCapacity),
                 (std::vector<std::int32_t>{0, 5, 0, 0, 1, 6, 0, 0, 2, 7, 0, 0}));
        const std::vector<float> values = member.take(gathered[rank].values, kSize * kCapacity * 2);
        for (std::int64_t of = 0; of < kSize; ++of) {
            QCOMPARE(values[static_cast<std::size_t>(of * kCapacity * 2)], valueOf(of, 0));
            QCOMPARE(values[static_cast<std::size_t>(of * kCapacity * 2 + 2)], valueOf(of, 1));
        }
    }
}

void TstGroupOperations::membersThatDoDifferentThingsAreRefused()
{
    std::vector<GroupMember> members = formed(2);
    const auto gatherOf = [&](std::int64_t rank, std::int64_t count) {
        return Operations{
            GatherParts{{.rank = rank, .size = 2},
                        members[static_cast<std::size_t>(rank)].put(std::vector<float>(8)),
                        count}};
    };
    const auto outcomes = run(members, {gatherOf(0, 8), gatherOf(1, 7)});
    for (const Result<void>& outcome : outcomes) {
        QVERIFY(!outcome);
    }
    std::vector<GroupMember> alone(1);
    alone.front().device = std::make_unique<EmulatedDevice>();
    float* const values = alone.front().put(std::vector<float>(8));
    const auto ofNone = run(alone, {{GatherParts{{}, values, 8}}});
    VERIFY_ERROR(ofNone.front(), "gpu.failed");
}

void TstGroupOperations::nobodyWaitsForAMemberThatHasFailed()
{
    for (const bool isRecorded : {false, true}) {
        std::vector<RuntimeJournal> journals(3);
        std::vector<GroupMember> members = formed(3, isRecorded ? journals.data() : nullptr);
        std::vector<Operations> operations;
        for (std::int64_t rank = 0; rank < 3; ++rank) {
            float* const values =
                members[static_cast<std::size_t>(rank)].put(std::vector<float>(8));
            operations.push_back({GatherParts{{.rank = rank, .size = 3}, values, 8}});
        }
        for (const GroupMember& member : members) {
            member.device->abandonGroup();
        }
        for (const Result<void>& outcome : run(members, operations)) {
            VERIFY_ERROR(outcome, "gpu.group_lost");
        }
    }
}

CANNERY_TEST(TstGroupOperations)
#include "tst_group_operations.moc"
