// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/message_writer.h"
#include "core/export/program/tensorflow_object.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace cannery;

namespace {

/// Adds the file and all that it imports of the schema.
void addFiles(const google::protobuf::FileDescriptor& file,
              std::set<const google::protobuf::FileDescriptor*>& files)
{
    if (file.package() == "cannery.spec" && files.insert(&file).second) {
        for (int i = 0; i < file.dependency_count(); ++i) {
            addFiles(*file.dependency(i), files);
        }
    }
}

/// Calls `visit` for each message of the schema.
template <typename Visit>
void forEachMessage(const Visit& visit)
{
    std::set<const google::protobuf::FileDescriptor*> files;
    addFiles(*spec::Experiment::descriptor()->file(), files);
    for (const google::protobuf::FileDescriptor* file : files) {
        for (int m = 0; m < file->message_type_count(); ++m) {
            visit(*file->message_type(m));
        }
    }
}

} // namespace

/// What the schema says of TensorFlow's classes and functions, and what a program makes of it.
class TstTensorflowObjects : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void objectsHaveACallableOfAKnownVersion();
    void anArgumentIsWrittenInOneWay();
    void writesArgumentsByTensorFlowsNames();
    void writesRequiredArgumentsAtTheirDefaults();
    void refusesWhatTensorFlowLacks();
};

void TstTensorflowObjects::objectsHaveACallableOfAKnownVersion()
{
    int count = 0;
    forEachMessage([&](const google::protobuf::Descriptor& message) {
        const spec::TensorFlowObject* object = exporting::tensorflowObject(message);
        if (object != nullptr) {
            ++count;
            QVERIFY2(!object->callable().empty(), message.name().c_str());
            QVERIFY2(object->until() == "2.15" || object->until() == "2.8", message.name().c_str());
        }
    });
    QVERIFY2(count > 80, qPrintable(QString::number(count)));
}

/// An argument of a message that is not written, or with two rules, would be misread silently.
void TstTensorflowObjects::anArgumentIsWrittenInOneWay()
{
    int count = 0;
    forEachMessage([&](const google::protobuf::Descriptor& message) {
        for (int i = 0; i < message.field_count(); ++i) {
            const google::protobuf::FieldDescriptor& field = *message.field(i);
            if (field.options().HasExtension(spec::argument)) {
                const spec::TensorFlowArgument& argument = exporting::tensorflowArgument(field);
                const int ways = static_cast<int>(argument.has_name()) +
                                 static_cast<int>(argument.always()) +
                                 static_cast<int>(argument.left_out()) +
                                 static_cast<int>(argument.has_refused());
                ++count;
                QVERIFY2(ways == 1, field.full_name().c_str());
                QVERIFY2(exporting::tensorflowObject(message) != nullptr,
                         field.full_name().c_str());
            }
        }
    });
    QVERIFY2(count > 30, qPrintable(QString::number(count)));
}

void TstTensorflowObjects::writesArgumentsByTensorFlowsNames()
{
    const spec::Experiment experiment;
    exporting::RefusedFields refused;
    spec::Precision precision;
    precision.set_threshold(0.25);
    QCOMPARE(exporting::MessageWriter(experiment, refused).text(precision, "metric"),
             std::string("tf.keras.metrics.Precision(thresholds=0.25)"));
    QVERIFY(refused.empty());
}

void TstTensorflowObjects::writesRequiredArgumentsAtTheirDefaults()
{
    const spec::Experiment experiment;
    exporting::RefusedFields refused;
    spec::BoostedTreesRegressor trees;
    trees.set_n_batches_per_layer(trees.n_batches_per_layer());
    trees.set_max_depth(trees.max_depth());
    QCOMPARE(exporting::MessageWriter(experiment, refused).text(trees, "estimator"),
             std::string("tf.estimator.BoostedTreesRegressor(n_batches_per_layer=1)"));
}

void TstTensorflowObjects::refusesWhatTensorFlowLacks()
{
    const spec::Experiment experiment;
    exporting::RefusedFields ofField;
    spec::BoostedTreesRegressor trees;
    trees.mutable_histogram();
    exporting::MessageWriter(experiment, ofField).text(trees, "estimator");
    QVERIFY(!ofField.empty());
    exporting::RefusedFields ofMessage;
    exporting::MessageWriter(experiment, ofMessage).text(spec::AdamWOptimizer(), "optimizer");
    QVERIFY(!ofMessage.empty());
}

CANNERY_TEST(TstTensorflowObjects)
#include "tst_tensorflow_objects.moc"
