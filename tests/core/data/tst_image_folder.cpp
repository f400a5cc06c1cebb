// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/data/rows/row_reader.h"
#include "core/data/sources/data_source_catalog.h"
#include "storage/images/image.h"
#include "tests/core/data/picture_folder.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

#include <memory>
#include <thread>

using namespace cannery;
using namespace cannery::data;
using namespace cannery::tests;

namespace {

spec::Data dataOf(const std::string& text)
{
    spec::Data data;
    if (!google::protobuf::TextFormat::ParseFromString(text, &data)) {
        qFatal("the test's data is no message");
    }
    return data;
}

std::string sourceText(const std::string& path, const std::string& more = {})
{
    return "train { image_folder { path: \"" + path + "\" " +
           (more.find("height") == std::string::npos ? "height: 4 width: 6 " : "") + more + " } }";
}

/// All rows of a stream, and the rest of its first feature by name.
struct Rows
{
    std::vector<float> pixels;
    std::vector<std::string> labels;
    std::vector<std::string> paths;
    Shape shape;
    ReadReport report;
};

void addTexts(const FeatureValues& values, std::vector<std::string>& texts)
{
    const auto& column = std::get<StringColumn>(values.elements);
    for (std::size_t i = 0; i < column.size(); ++i) {
        texts.emplace_back(column[i]);
    }
}

Result<Rows> rowsOf(const Dataset& dataset, const FeatureRequest& request = {})
{
    CANNERY_TRY_ASSIGN(const std::unique_ptr<FeatureStream> stream, dataset.read(request));
    Rows rows;
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<FeatureBatch> batch, stream->next());
        if (!batch) {
            rows.report = stream->report();
            return rows;
        }
        for (const FeatureValues& values : batch->features) {
            if (values.name == "image") {
                const auto& some = std::get<std::vector<float>>(values.elements);
                rows.pixels.insert(rows.pixels.end(), some.begin(), some.end());
                rows.shape = values.shape;
            } else if (values.name == "path") {
                addTexts(values, rows.paths);
            }
        }
        for (const FeatureValues& values : batch->labels) {
            addTexts(values, rows.labels);
        }
    }
}

} // namespace

/// Folders of pictures as tables.
class TstImageFolder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void foldersAreLabels();
    void picturesInNoFolderHaveNoLabel();
    void aFolderWithoutPicturesIsAnError();
    void valuesAreThoseOfThePicture();
    void rangesAreScaled();
    void sixteenBitsAreKept();
    void proportionsAreKeptOrNot();
    void partsOfThePictureAreCut();
    void photographsAreTurned();
    void damagedPicturesAreBadRows();
    void everyPassHasTheSameRows();
    void theSameForAnyNumberOfThreads();
    void aSplitByFractionSharesTheRows();
    void textsAreForPeople();
    void arraysAreNotStacked();
    void fingerprintsSeeNamesAndBytes();

private:
    void put(const std::string& name, const std::string& file) const { m_folder->put(name, file); }
    std::string root() const { return m_folder->root(); }
    std::string pathOf(const std::string& name) const { return m_folder->pathOf(name); }
    Result<Rows> read(const std::string& more = {}, const std::string& data = {}) const;

    std::unique_ptr<PictureFolder> m_folder;
};

void TstImageFolder::init()
{
    m_folder = std::make_unique<PictureFolder>();
}

Result<Rows> TstImageFolder::read(const std::string& more, const std::string& data) const
{
    CANNERY_TRY_ASSIGN(const Dataset dataset, Dataset::open(dataOf(sourceText(root(), more) + data),
                                                            "/", DataPart::Train));
    return rowsOf(dataset, {.labels = LabelNeed::Optional});
}

void TstImageFolder::foldersAreLabels()
{
    put("dog/b.png", "rgb.png");
    put("dog/a.jpg", "grey.jpg");
    put("cat/deep/z.bmp", "rgb.bmp");
    put("cat/Y.JPG", "cmyk_adobe.jpg");
    const auto rows = read({}, "label { column: \"label\" }");
    VERIFY_OK(rows);
    QCOMPARE(rows->labels, (std::vector<std::string>{"cat", "cat", "dog", "dog"}));
    QCOMPARE(rows->paths,
             (std::vector<std::string>{"cat/Y.JPG", "cat/deep/z.bmp", "dog/a.jpg", "dog/b.png"}));
    QVERIFY(rows->shape == (Shape{4, 6, 3}));
    QCOMPARE(rows->pixels.size(), std::size_t{4 * 4 * 6 * 3});
}

void TstImageFolder::picturesInNoFolderHaveNoLabel()
{
    put("b.png", "rgb.png");
    put("a.png", "rgb.png");
    const auto dataset = Dataset::open(dataOf(sourceText(root())), "/", DataPart::Train);
    VERIFY_OK(dataset);
    QCOMPARE(dataset->schema().names(), (std::vector<std::string>{"image", "path"}));
    QCOMPARE(rowsOf(*dataset, {.labels = LabelNeed::None})->paths,
             (std::vector<std::string>{"a.png", "b.png"}));
}

void TstImageFolder::aFolderWithoutPicturesIsAnError()
{
    put("cat/notes.txt", "text.jpg");
    VERIFY_ERROR(read(), "image_folder.no_pictures");
    VERIFY_ERROR(read("split: \"train\""), "image_folder.no_folder");
}

void TstImageFolder::valuesAreThoseOfThePicture()
{
    put("a.png", "rgb.png");
    const auto image = storage::readImageFile(PictureFolder::golden("rgb.png"));
    VERIFY_OK(image);
    const auto rows = read("height: " + std::to_string(image->height) +
                           " width: " + std::to_string(image->width));
    VERIFY_OK(rows);
    const auto& bytes = std::get<std::vector<std::uint8_t>>(image->values);
    QCOMPARE(rows->pixels, std::vector<float>(bytes.begin(), bytes.end()));
}

void TstImageFolder::rangesAreScaled()
{
    put("a.png", "rgb.png");
    const auto bytes = read();
    const auto unit = read("range: unit");
    const auto symmetric = read("range: symmetric");
    const auto standardized = read("range: standardized");
    VERIFY_OK(bytes);
    VERIFY_OK(standardized);
    double sum = 0;
    for (std::size_t i = 0; i < bytes->pixels.size(); ++i) {
        QCOMPARE(unit->pixels[i], bytes->pixels[i] / 255);
        QCOMPARE(symmetric->pixels[i], bytes->pixels[i] / 127.5F - 1);
        sum += standardized->pixels[i];
    }
    QVERIFY(std::abs(sum) < 1e-4);
    const auto grey = read("channels: 1");
    VERIFY_OK(grey);
    QVERIFY(grey->shape == (Shape{4, 6, 1}));
}

void TstImageFolder::sixteenBitsAreKept()
{
    put("a.png", "rgb_16.png");
    const auto high = read("resize: nearest");
    const auto full = read("resize: nearest sixteen_bits: true");
    VERIFY_OK(high);
    VERIFY_OK(full);
    int finer = 0;
    for (std::size_t i = 0; i < full->pixels.size(); ++i) {
        QVERIFY(std::abs(full->pixels[i] - high->pixels[i]) <= 1);
        finer += full->pixels[i] != std::floor(full->pixels[i]) ? 1 : 0;
    }
    QVERIFY(finer > 0);
}

void TstImageFolder::proportionsAreKeptOrNot()
{
    // 9 rows of 13 pixels.
    put("a.png", "rgb.png");
    const auto padded = read("height: 8 width: 8 fit: pad");
    const auto cropped = read("height: 9 width: 9 fit: crop");
    const auto whole = read("height: 9 width: 13");
    VERIFY_OK(padded);
    VERIFY_OK(cropped);
    VERIFY_OK(whole);
    // Five rows of pixels between one of zeros and two.
    const auto isBlack = [&](std::size_t row) {
        const auto begin = padded->pixels.begin() + static_cast<std::ptrdiff_t>(row * 8 * 3);
        return std::all_of(begin, begin + 8 * 3, [](float value) { return value == 0; });
    };
    for (std::size_t row = 0; row < 8; ++row) {
        QCOMPARE(isBlack(row), row == 0 || row > 5);
    }
    // The middle nine columns, as they are.
    for (std::size_t row = 0; row < 9; ++row) {
        for (std::size_t i = 0; i < 9 * 3; ++i) {
            QCOMPARE(cropped->pixels[row * 9 * 3 + i], whole->pixels[(row * 13 + 2) * 3 + i]);
        }
    }
}

void TstImageFolder::partsOfThePictureAreCut()
{
    put("a.png", "rgb.png");
    const auto all = read();
    const auto middle = read("central_crop: 0.5");
    const auto smooth = read("antialias: true");
    const auto cubic = read("resize: bicubic");
    VERIFY_OK(middle);
    VERIFY_OK(smooth);
    VERIFY_OK(cubic);
    QVERIFY(middle->pixels != all->pixels);
    QVERIFY(smooth->pixels != all->pixels);
    QVERIFY(cubic->pixels != all->pixels);
}

void TstImageFolder::photographsAreTurned()
{
    put("a.jpg", "orientation_1.jpg");
    put("b.jpg", "orientation_3.jpg");
    const auto turned = read();
    VERIFY_OK(turned);
    QCOMPARE(turned->report.warnings.size(), std::size_t{1});
    QVERIFY(turned->report.warnings[0].starts_with("1 pictures were turned"));
    const std::size_t half = turned->pixels.size() / 2;
    const std::vector<float> first(turned->pixels.begin(), turned->pixels.begin() + half);
    const std::vector<float> second(turned->pixels.begin() + half, turned->pixels.end());
    QVERIFY(first != second);
    // Both files store the same pixels.
    const auto stored = read("upright: false");
    VERIFY_OK(stored);
    QVERIFY(stored->report.warnings.empty());
    QVERIFY(std::equal(stored->pixels.begin(), stored->pixels.begin() + half,
                       stored->pixels.begin() + half));
}

void TstImageFolder::damagedPicturesAreBadRows()
{
    put("cat/a.png", "rgb.png");
    put("cat/b.jpg", "half.jpg");
    put("cat/c.jpg", "text.jpg");
    put("cat/d.png", "grey.png");
    const auto strict = read();
    VERIFY_ERROR(strict, "image.truncated");
    QVERIFY(strict.error().message().find(pathOf("cat/b.jpg")) == 0);
    QVERIFY(strict.error().message().find("bad_rows: SKIP") != std::string::npos);
    const auto lenient = read({}, "bad_rows: SKIP");
    VERIFY_OK(lenient);
    QCOMPARE(lenient->paths, (std::vector<std::string>{"cat/a.png", "cat/d.png"}));
    QCOMPARE(lenient->report.badRowCount, std::uint64_t{2});
    QCOMPARE(lenient->report.badRows.size(), std::size_t{2});
    QVERIFY(lenient->report.badRows[1].find("is not a picture") != std::string::npos);
}

void TstImageFolder::everyPassHasTheSameRows()
{
    put("cat/a.png", "rgb.png");
    put("cat/b.jpg", "half.jpg");
    put("cat/d.png", "grey.png");
    spec::DataSource message = dataOf(sourceText(root())).train();
    const auto source = openDataSource(message, {.badRows = spec::BadRows::SKIP});
    VERIFY_OK(source);
    // Without pixels, with them, and without them again: whether a picture is damaged is known
    // then.
    for (const std::optional<DType> dtype :
         {std::optional<DType>(), std::optional(DType::Float32), std::optional<DType>()}) {
        const auto stream = (*source)->read(
            {.columns = {{.column = "image", .dtype = dtype}}, .fingerprint = true});
        VERIFY_OK(stream);
        std::vector<std::size_t> files;
        while (true) {
            const auto chunk = (*stream)->next();
            VERIFY_OK(chunk);
            if (!*chunk) {
                break;
            }
            files.push_back((*chunk)->file);
            QCOMPARE((*chunk)->rows, std::size_t{1});
            QCOMPARE((*chunk)->columns[0].size(), std::size_t{1});
            QCOMPARE((*chunk)->columns[0].width, std::size_t(dtype ? 4 * 6 * 3 : 1));
        }
        QCOMPARE(files, (std::vector<std::size_t>{0, 2}));
        QCOMPARE((*stream)->report().badRowCount, std::uint64_t{1});
        QCOMPARE((*stream)->refused(0).front().file, std::size_t{1});
        QCOMPARE(*(*stream)->fingerprint(), *(*source)->fingerprint());
    }
}

void TstImageFolder::theSameForAnyNumberOfThreads()
{
    const auto dataset =
        Dataset::open(dataOf(sourceText(PictureFolder::shapes()) + "label { column: \"label\" }"),
                      "/", DataPart::Train);
    VERIFY_OK(dataset);
    const auto one = rowsOf(*dataset);
    VERIFY_OK(one);
    const RunBlocks run = [](std::int64_t count, const std::function<void(std::int64_t)>& block) {
        std::vector<std::jthread> threads;
        for (std::int64_t i = 0; i < count; ++i) {
            threads.emplace_back([&block, i] { block(i); });
        }
    };
    const auto several = rowsOf(*dataset, {.threads = {.count = 3, .run = run}});
    VERIFY_OK(several);
    QCOMPARE(several->pixels, one->pixels);
    QCOMPARE(several->labels, one->labels);
    QCOMPARE(several->paths, one->paths);
    QCOMPARE(several->paths.size(), std::size_t{36});
}

void TstImageFolder::aSplitByFractionSharesTheRows()
{
    const spec::Data data =
        dataOf(sourceText(PictureFolder::shapes(), "split: \"train\"") +
               "label { column: \"label\" } split { fraction { eval_fraction: 0.25 seed: 3 "
               "stratify: true } }");
    const auto train = Dataset::open(data, "/", DataPart::Train);
    VERIFY_OK(train);
    const auto eval = Dataset::openEval(data, "/", *train);
    VERIFY_OK(eval);
    const auto learned = rowsOf(*train);
    const auto heldBack = rowsOf(*eval);
    VERIFY_OK(learned);
    VERIFY_OK(heldBack);
    QCOMPARE(learned->labels.size(), std::size_t{18});
    QCOMPARE(std::ranges::count(heldBack->labels, "circle"), 3);
    QCOMPARE(heldBack->labels.size(), std::size_t{6});
    QCOMPARE(heldBack->pixels.size(), std::size_t{6 * 4 * 6 * 3});
}

void TstImageFolder::textsAreForPeople()
{
    put("cat/a.png", "rgb.png");
    put("cat/b.jpg", "half.jpg");
    put("dog/c.bmp", "rgb.bmp");
    const auto source =
        openDataSource(dataOf(sourceText(root())).train(), {.badRows = spec::BadRows::SKIP});
    VERIFY_OK(source);
    const auto image = storage::readImageFile(pathOf("cat/a.png"));
    const std::string size = std::to_string(image->width) + " × " + std::to_string(image->height);
    const auto rows = (*source)->preview(5);
    VERIFY_OK(rows);
    QCOMPARE(*rows, (std::vector<std::vector<std::string>>{{"PNG, " + size, "cat", "cat/a.png"},
                                                           {"BMP, " + size, "dog", "dog/c.bmp"}}));
    const auto reader = (*source)->rowReader();
    VERIFY_OK(reader);
    QCOMPARE(*(*reader)->read({2, 0, 1}), (std::vector<std::vector<std::string>>{rows->back()}));
    QVERIFY((*reader)->read({1, 0, 1})->empty());
    QCOMPARE((*reader)->cellOfRefused(1, 0, "label"), std::optional<std::string>("cat"));
    QVERIFY(!(*reader)->cellOfRefused(1, 0, "image"));
    const TableSchema& schema = (*source)->schema();
    QVERIFY(schema.find("image")->dense && !schema.find("path")->dense);
    QVERIFY(schema.find("label")->kind == ColumnKind::Category);
    QVERIFY(schema.find("path")->kind == ColumnKind::Identifier);
}

void TstImageFolder::arraysAreNotStacked()
{
    put("cat/a.png", "rgb.png");
    VERIFY_ERROR(read({}, "feature { name: \"x\" stack { columns: \"image\" } }"),
                 "data.stacked_array");
    VERIFY_OK(read({}, "feature { name: \"image\" column: \"image\" }"));
    VERIFY_ERROR(read({}, "column { name: \"label\" dtype: int32 }"), "image_folder.unusable_row");
}

void TstImageFolder::fingerprintsSeeNamesAndBytes()
{
    put("cat/a.png", "rgb.png");
    const auto print = [&] {
        return *(*openDataSource(dataOf(sourceText(root())).train(), {}))->fingerprint();
    };
    const std::string first = print();
    QCOMPARE(print(), first);
    // The label of the picture.
    QVERIFY(QDir(QString::fromStdString(root())).rename("cat", "dog"));
    const std::string second = print();
    QVERIFY(second != first);
    QVERIFY(QFile::remove(QString::fromStdString(pathOf("dog/a.png"))));
    put("dog/a.png", "grey.png");
    QVERIFY(print() != second);
}

CANNERY_TEST(TstImageFolder)
#include "tst_image_folder.moc"
