// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/checkpoints/checkpoint_writer.h"
#include "tests/core/export/single_op.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>

using namespace cannery;
using namespace cannery::tests;

/// Variables and lookup tables. Expected values are those of the same operation in tf.raw_ops of
/// TensorFlow 2.15.1 on a CPU.
class TstStateOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void handlesNameTheirVariable();
    void variablesAreThoseOfTheCheckpoint();
    void assignedValuesHideTheCheckpoint();
    void onlyTheSameKindIsAdded();
    void gathersRefuseRowsThatAreNotThere();
    void tablesGiveTheirValueOrTheDefault();
    void keysWithTwoValuesAreRefused();
    void tablesAreFilledOnce();
    void tablesKeepTheirTypes();
    void vocabulariesNumberTheirLines();
    void vocabulariesAreCutToTheirSize();
    void vocabulariesThatTensorFlowRefusesAreRefused_data();
    void vocabulariesThatTensorFlowRefusesAreRefused();
    void vocabulariesBesideTheAssetsAreNotRead();
};

namespace {

/// A checkpoint with a table "w" of three rows and a number "step".
class Variables
{
public:
    Variables()
    {
        using storage::TensorView;
        const std::vector<float> table{0, 1, 2, 3, 4, 5};
        const std::vector<std::int64_t> step{7};
        const std::vector<storage::NamedTensor> tensors{
            {"step", TensorView::of(std::span<const std::int64_t>(step), Shape{})},
            {"w", TensorView::of(std::span<const float>(table), Shape{3, 2})}};
        const std::string prefix = m_folder.filePath("variables").toStdString();
        if (storage::writeCheckpoint(prefix, tensors)) {
            auto reader = storage::CheckpointReader::open(prefix);
            if (reader) {
                ops.resources.variables.emplace(std::move(*reader));
            }
        }
    }

    OpSequence ops;

private:
    QTemporaryDir m_folder;
};

/// A table of texts and numbers with these entries.
Result<Tensors> makeTable(OpSequence& ops, const std::string& name,
                          const std::vector<std::string>& keys,
                          const std::vector<std::int64_t>& values,
                          const std::string& op = "InitializeTableV2")
{
    CANNERY_TRY(ops.run("HashTableV2", {},
                        {{"key_dtype", DType::String}, {"value_dtype", DType::Int64}}, name));
    return ops.runOn(name, op, {HostTensor::ofStrings(keys), HostTensor::of(values)});
}

Result<Tensors> find(OpSequence& ops, const std::string& name, std::vector<std::string> keys)
{
    return ops.runOn(
        name, "LookupTableFindV2",
        {HostTensor::ofStrings(std::move(keys)), HostTensor::scalar(std::int64_t{-1})});
}

/// A table filled from a file with this content.
class FileTable
{
public:
    explicit FileTable(const QByteArray& content)
    {
        ops.resources.assets = m_folder.path().toStdString();
        QFile file(m_folder.filePath("words.txt"));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(content);
        }
    }

    Result<Tensors> fill(std::int64_t size = -1, const std::string& name = "words.txt")
    {
        CANNERY_TRY(ops.run("HashTableV2", {}, {}, "table"));
        return ops.runOn("table", "InitializeTableFromTextFileV2",
                         {HostTensor::scalarString(ops.resources.assets + "/" + name)},
                         {{"key_index", -2}, {"value_index", -1}, {"vocab_size", size}});
    }
    Result<Tensors> ids(std::vector<std::string> keys)
    {
        return find(ops, "table", std::move(keys));
    }
    Result<Tensors> size() { return ops.runOn("table", "LookupTableSizeV2"); }

    OpSequence ops;

private:
    QTemporaryDir m_folder;
};

} // namespace

void TstStateOps::handlesNameTheirVariable()
{
    OpSequence ops;
    const auto handle = ops.run("VarHandleOp", {}, {{"shared_name", "linear/bias"}});
    VERIFY_OK(handle);
    QCOMPARE(handle->front().resource, std::string("linear/bias"));
    VERIFY_REFUSES(ops.run("VarHandleOp", {}));
}

void TstStateOps::variablesAreThoseOfTheCheckpoint()
{
    Variables made;
    VERIFY_GIVES(made.ops.runOn("w", "ReadVariableOp"), 0U,
                 tensorOf<float>({0, 1, 2, 3, 4, 5}, {3, 2}));
    VERIFY_GIVES(made.ops.runOn("step", "ReadVariableOp"), 0U, HostTensor::scalar(std::int64_t{7}));
    QVERIFY(!made.ops.runOn("bias", "ReadVariableOp"));
    OpSequence none;
    VERIFY_REFUSES(none.runOn("w", "ReadVariableOp"));
}

void TstStateOps::assignedValuesHideTheCheckpoint()
{
    Variables made;
    VERIFY_OK(
        made.ops.runOn("w", "AssignAddVariableOp", {tensorOf<float>({1, 1, 1, 1, 1, -5}, {3, 2})}));
    VERIFY_GIVES(made.ops.runOn("w", "ReadVariableOp"), 0U,
                 tensorOf<float>({1, 2, 3, 4, 5, 0}, {3, 2}));
    VERIFY_OK(made.ops.runOn("w", "AssignVariableOp", {listOf<float>({0.5F, 8})}));
    VERIFY_OK(made.ops.runOn("w", "AssignAddVariableOp", {listOf<float>({1, -2})}));
    VERIFY_GIVES(made.ops.runOn("w", "ReadVariableOp"), 0U, listOf<float>({1.5F, 6}));
    VERIFY_GIVES(made.ops.runOn("step", "ReadVariableOp"), 0U, HostTensor::scalar(std::int64_t{7}));
}

void TstStateOps::onlyTheSameKindIsAdded()
{
    OpSequence ops;
    VERIFY_OK(ops.runOn("v", "AssignVariableOp", {listOf<float>({1, 2})}));
    VERIFY_REFUSES(ops.runOn("v", "AssignAddVariableOp", {listOf<float>({1})}));
    VERIFY_REFUSES(ops.runOn("v", "AssignAddVariableOp", {listOf<std::int32_t>({1, 2})}));
    VERIFY_GIVES(ops.runOn("v", "ReadVariableOp"), 0U, listOf<float>({1, 2}));
}

void TstStateOps::gathersRefuseRowsThatAreNotThere()
{
    Variables made;
    const auto gathered = [&](const HostTensor& rows, const AttrsByName& attrs = {}) {
        return made.ops.runOn("w", "ResourceGather", {rows}, attrs);
    };
    VERIFY_GIVES(gathered(tensorOf<std::int32_t>({2, 0}, {1, 2})), 0U,
                 tensorOf<float>({4, 5, 0, 1}, {1, 2, 2}));
    VERIFY_GIVES(gathered(HostTensor::scalar(std::int64_t{1})), 0U, listOf<float>({2, 3}));
    VERIFY_GIVES(gathered(listOf<std::int64_t>({})), 0U, tensorOf<float>({}, {0, 2}));
    VERIFY_REFUSES(gathered(listOf<std::int32_t>({3})));
    VERIFY_REFUSES(gathered(listOf<std::int32_t>({-1})));
    // For TensorFlow this gathers elements within each row.
    VERIFY_REFUSES(gathered(tensorOf<std::int32_t>({1, 0, 1}, {3, 1}), {{"batch_dims", 1}}));
    VERIFY_OK(made.ops.runOn("number", "AssignVariableOp", {HostTensor::scalar(1.0F)}));
    VERIFY_REFUSES(made.ops.runOn("number", "ResourceGather", {listOf<std::int32_t>({0})}));
}

void TstStateOps::tablesGiveTheirValueOrTheDefault()
{
    OpSequence ops;
    for (const std::string op : {"InitializeTableV2", "LookupTableImportV2"}) {
        VERIFY_OK(makeTable(ops, op, {"a", "b"}, {5, 6}, op));
        VERIFY_GIVES(ops.runOn(op, "LookupTableFindV2",
                               {HostTensor::ofStrings({"a", "x", "b", ""}, {2, 2}),
                                HostTensor::scalar(std::int64_t{-1})}),
                     0U, tensorOf<std::int64_t>({5, -1, 6, -1}, {2, 2}));
        VERIFY_GIVES(ops.runOn(op, "LookupTableSizeV2"), 0U, HostTensor::scalar(std::int64_t{2}));
    }
    const AttrsByName types{{"key_dtype", DType::Int64}, {"value_dtype", DType::String}};
    VERIFY_OK(ops.run("HashTableV2", {}, types, "names"));
    VERIFY_OK(ops.runOn("names", "InitializeTableV2",
                        {listOf<std::int64_t>({7, -1}), HostTensor::ofStrings({"x", "y"})}));
    VERIFY_GIVES(ops.runOn("names", "LookupTableFindV2",
                           {listOf<std::int64_t>({7, 8, -1}), HostTensor::scalarString("none")}),
                 0U, HostTensor::ofStrings({"x", "none", "y"}));
}

void TstStateOps::keysWithTwoValuesAreRefused()
{
    OpSequence ops;
    VERIFY_REFUSES(makeTable(ops, "one", {"a", "a"}, {5, 6}));
    VERIFY_REFUSES(makeTable(ops, "two", {"a", "a"}, {5, 6}, "LookupTableImportV2"));
    VERIFY_OK(makeTable(ops, "three", {"a", "a"}, {5, 5}));
    VERIFY_GIVES(ops.runOn("three", "LookupTableSizeV2"), 0U, HostTensor::scalar(std::int64_t{1}));
}

void TstStateOps::tablesAreFilledOnce()
{
    OpSequence ops;
    VERIFY_OK(ops.run("HashTableV2", {}, {}, "t"));
    VERIFY_GIVES(ops.runOn("t", "LookupTableSizeV2"), 0U, HostTensor::scalar(std::int64_t{0}));
    VERIFY_REFUSES(find(ops, "t", {"a"}));
    VERIFY_OK(makeTable(ops, "t", {"a"}, {1}));
    VERIFY_OK(makeTable(ops, "t", {"b"}, {2}));
    VERIFY_OK(makeTable(ops, "t", {"c"}, {3}, "LookupTableImportV2"));
    VERIFY_GIVES(find(ops, "t", {"a", "b", "c"}), 0U, listOf<std::int64_t>({1, -1, -1}));
    VERIFY_REFUSES(find(ops, "other", {"a"}));
}

void TstStateOps::tablesKeepTheirTypes()
{
    OpSequence ops;
    VERIFY_OK(ops.run("HashTableV2", {}, {}, "t"));
    const HostTensor one = HostTensor::scalar(std::int64_t{1});
    const HostTensor ones = listOf<std::int64_t>({1});
    const HostTensor word = HostTensor::ofStrings({"a"});
    VERIFY_REFUSES(ops.runOn("t", "InitializeTableV2", {ones, ones}));
    VERIFY_REFUSES(ops.runOn("t", "InitializeTableV2", {word, listOf<std::int64_t>({1, 2})}));
    VERIFY_REFUSES(ops.runOn(
        "t", "InitializeTableV2",
        {HostTensor::ofStrings({"a", "b"}, {1, 2}), tensorOf<std::int64_t>({5, 6}, {1, 2})}));
    VERIFY_REFUSES(
        ops.runOn("t", "InitializeTableV2", {HostTensor::ofStrings({}), listOf<std::int64_t>({})}));
    VERIFY_OK(ops.runOn("t", "InitializeTableV2", {word, ones}));
    VERIFY_REFUSES(ops.runOn("t", "LookupTableFindV2", {ones, one}));
    VERIFY_REFUSES(ops.runOn("t", "LookupTableFindV2", {word, listOf<std::int64_t>({1, 2})}));
    VERIFY_REFUSES(ops.runOn("t", "LookupTableFindV2", {word, HostTensor::scalarString("b")}));
}

void TstStateOps::vocabulariesNumberTheirLines()
{
    for (const QByteArray content : {"a\nb\nc\n", "a\nb\nc", "a\r\nb\r\nc", "a\nb\nc\r"}) {
        FileTable table(content);
        VERIFY_OK(table.fill());
        VERIFY_GIVES(table.ids({"c", "a", "", "a\r", "b"}), 0U,
                     listOf<std::int64_t>({2, 0, -1, -1, 1}));
        VERIFY_GIVES(table.size(), 0U, HostTensor::scalar(std::int64_t{3}));
    }
    FileTable odd("a\rb\nc\r\r\n\r");
    VERIFY_OK(odd.fill());
    VERIFY_GIVES(odd.ids({"a\rb", "c\r", "c", "b"}), 0U, listOf<std::int64_t>({0, 1, -1, -1}));
}

void TstStateOps::vocabulariesAreCutToTheirSize()
{
    // What comes after the last word is not read.
    FileTable table("a\nb\na\n\nb\n");
    VERIFY_OK(table.fill(2));
    VERIFY_GIVES(table.ids({"a", "b"}), 0U, listOf<std::int64_t>({0, 1}));
    VERIFY_GIVES(table.size(), 0U, HostTensor::scalar(std::int64_t{2}));
    FileTable exact("a\nb\n");
    VERIFY_OK(exact.fill(2));
    VERIFY_GIVES(exact.size(), 0U, HostTensor::scalar(std::int64_t{2}));
}

void TstStateOps::vocabulariesThatTensorFlowRefusesAreRefused_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<qint64>("size");
    QTest::newRow("a word twice") << QByteArray("a\nb\na\n") << qint64(-1);
    QTest::newRow("an empty line first") << QByteArray("\na\n") << qint64(-1);
    QTest::newRow("an empty line within") << QByteArray("a\n\nc\n") << qint64(-1);
    QTest::newRow("an empty line last") << QByteArray("a\nb\n\n") << qint64(-1);
    QTest::newRow("an empty line of Windows") << QByteArray("\r\na\n") << qint64(-1);
    QTest::newRow("nothing") << QByteArray() << qint64(-1);
    QTest::newRow("too few words") << QByteArray("a\nb\n") << qint64(3);
    QTest::newRow("no words") << QByteArray("a\nb\n") << qint64(0);
}

void TstStateOps::vocabulariesThatTensorFlowRefusesAreRefused()
{
    QFETCH(const QByteArray, content);
    QFETCH(const qint64, size);
    FileTable table(content);
    VERIFY_REFUSES(table.fill(size));
}

void TstStateOps::vocabulariesBesideTheAssetsAreNotRead()
{
    FileTable table("a\n");
    QVERIFY(!table.fill(-1, "../words.txt"));
    QVERIFY(!table.fill(-1, "absent.txt"));
    VERIFY_REFUSES(table.ops.runOn("table", "InitializeTableFromTextFileV2",
                                   {HostTensor::scalarString("words.txt")},
                                   {{"key_index", 0}, {"value_index", 1}}));
}

CANNERY_TEST(TstStateOps)
#include "tst_state_ops.moc"
