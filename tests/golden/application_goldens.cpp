// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/application_goldens.h"

#include "tests/golden/application_run.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace cannery::tests {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Json jsonOf(const fs::path& file)
{
    std::ifstream stream(file);
    return Json::parse(stream);
}

/// Floats of an .npy file: its header has its length at 8, and the numbers follow.
std::vector<float> numbersOf(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    const auto low = static_cast<unsigned char>(bytes.at(8));
    const auto high = static_cast<unsigned char>(bytes.at(9));
    const std::size_t begin = 10U + low + 256U * high;
    std::vector<float> numbers((bytes.size() - begin) / sizeof(float));
    std::copy_n(bytes.data() + begin, numbers.size() * sizeof(float),
                reinterpret_cast<char*>(numbers.data()));
    return numbers;
}

/// The description of the application's layers, if the folder has it.
fs::path descriptionOf(const fs::path& folder, const Json& applicationCase)
{
    const Json& arguments = applicationCase["arguments"];
    std::string name = applicationCase["application"];
    if (arguments.contains("alpha")) {
        name += "_alpha_" + arguments["alpha"].dump();
    }
    return folder / (name + "_include_top_" + arguments["include_top"].dump() + ".json");
}

/// Keras' layers, which ours are behind those that bring the picture.
void compareNames(const fs::path& description, const ApplicationRun& run)
{
    std::vector<std::string> expected;
    const Json described = jsonOf(description);
    for (const Json& layer : described["layers"]) {
        expected.push_back(layer[0]);
    }
    const std::vector<std::string> ours = run.layers();
    const auto begin = std::ranges::find(ours, expected.at(1));
    QVERIFY(ours.end() - begin >= static_cast<std::ptrdiff_t>(expected.size() - 1));
    QVERIFY(std::equal(expected.begin() + 1, expected.end(), begin));
}

void compareOutput(const Json& applicationCase, std::span<const float> actual,
                   std::span<const float> expected)
{
    QCOMPARE(actual.size(), expected.size());
    double largest = 0;
    double difference = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        largest = std::max(largest, std::abs(double{expected[i]}));
        difference = std::max(difference, std::abs(double{actual[i]} - double{expected[i]}));
    }
    // The noise is TensorFlow's own, relative to the largest output.
    const double allowed = std::max(2e-6, 4 * applicationCase["noise"].get<double>());
    qInfo("%.2g of the largest output, TensorFlow's own noise being %.2g", difference / largest,
          applicationCase["noise"].get<double>());
    QVERIFY(largest > 0);
    QVERIFY2(difference <= allowed * largest, qPrintable(QString::number(difference / largest)));
}

} // namespace

void ApplicationGoldens::followsTheRuleOfWeights()
{
    for (const fs::path& folder : m_folders) {
        const Json manifest = jsonOf(folder / "applications" / "manifest.json");
        for (const Json& example : manifest["rule_examples"]) {
            const auto shape = example["shape"].get<std::vector<std::int64_t>>();
            const std::vector<float> values = weightsByRule(
                {.salt = example["salt"], .gain = example["gain"]}, example["name"], Shape(shape));
            const auto first = example["first"].get<std::vector<float>>();
            QVERIFY(values.size() >= first.size());
            QVERIFY(std::equal(first.begin(), first.end(), values.begin()));
            QCOMPARE(values.back(), example["last"].get<float>());
        }
        const Json& example = manifest["picture_example"];
        const auto expected = example["values"].get<std::vector<float>>();
        QCOMPARE(pictureByRule(example["salt"], expected.size()), expected);
    }
}

void ApplicationGoldens::followsKeras_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("index");
    QStringList leftOut;
    for (const fs::path& parent : m_folders) {
        const fs::path folder = parent / "applications";
        const Json cases = jsonOf(folder / "manifest.json")["cases"];
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const std::string name = cases[i]["name"];
            if (fs::exists(networkFileOf(cases[i]))) {
                QTest::newRow(name.c_str())
                    << QString::fromStdString(folder.string()) << static_cast<int>(i);
            } else {
                leftOut << QString::fromStdString(name);
            }
        }
    }
    qInfo("without a network of ours: %s", qPrintable(leftOut.join(", ")));
}

void ApplicationGoldens::followsKeras()
{
    QFETCH(QString, folder);
    QFETCH(int, index);
    const fs::path place = folder.toStdString();
    const Json applicationCase =
        jsonOf(place / "manifest.json")["cases"][static_cast<std::size_t>(index)];
    auto run = ApplicationRun::create(applicationCase);
    QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
    QCOMPARE((*run)->parameters(false), applicationCase["parameters"].get<std::int64_t>());
    QCOMPARE((*run)->parameters(true), applicationCase["trainable_parameters"].get<std::int64_t>());
    if (const fs::path description = descriptionOf(place, applicationCase);
        fs::exists(description)) {
        compareNames(description, **run);
    }
    const std::string name = applicationCase["name"];
    compareOutput(applicationCase, (*run)->output(), numbersOf(place / (name + ".npy")));
}

} // namespace cannery::tests
