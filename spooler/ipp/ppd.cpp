// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/ipp/ppd.h"

#include <string_view>

#include "base/text.h"
#include "spooler/ipp/media_sizes.h"

namespace opispool::ipp {

namespace {

// PPD strings are ASCII without quotation marks; names of printers have no colon either.
std::string plain_name(const std::string& queue) {
    std::string name;
    for (const char c : queue) {
        const bool plain = c >= ' ' && c <= '~' && c != '"' && c != ':' && c != '/' && c != '<' && c != '>';
        name += plain ? c : '_';
    }
    return name.substr(0, 40);
}

std::string size_text(const MediaSize& size) {
    return format_real(size.width_pt) + " " + format_real(size.height_pt);
}

std::string open_ui(std::string_view keyword, std::string_view shown, int order) {
    const std::string name(keyword);
    return "*OpenUI *" + name + "/" + std::string(shown) + ": PickOne\n*OrderDependency: " + std::to_string(order) +
           " AnySetup *" + name + "\n*Default" + name + ": " + std::string(media_sizes.front().ppd_name) + "\n";
}

// One of the two blocks that choose a sheet.
std::string size_choice(std::string_view keyword, std::string_view shown, int order) {
    std::string text = open_ui(keyword, shown, order);
    for (const MediaSize& size : media_sizes)
        text += "*" + std::string(keyword) + " " + std::string(size.ppd_name) + "/" + std::string(size.shown_as) +
                ": \"<</PageSize[" + size_text(size) + "]/ImagingBBox null>>setpagedevice\"\n";
    return text + "*CloseUI: *" + std::string(keyword) + "\n\n";
}

std::string size_table(std::string_view keyword, const std::string& before) {
    std::string text = "*Default" + std::string(keyword) + ": " + std::string(media_sizes.front().ppd_name) + "\n";
    for (const MediaSize& size : media_sizes)
        text += "*" + std::string(keyword) + " " + std::string(size.ppd_name) + "/" + std::string(size.shown_as) +
                ": \"" + before + size_text(size) + "\"\n";
    return text + "\n";
}

constexpr std::string_view custom_size = R"(*MaxMediaWidth: "14173"
*MaxMediaHeight: "14173"
*HWMargins: 0 0 0 0
*VariablePaperSize: True
*CustomPageSize True: "pop pop pop <</PageSize[5 -2 roll]/ImagingBBox null>>setpagedevice"
*ParamCustomPageSize Width: 1 points 28 14173
*ParamCustomPageSize Height: 2 points 28 14173
*ParamCustomPageSize WidthOffset: 3 points 0 0
*ParamCustomPageSize HeightOffset: 4 points 0 0
*ParamCustomPageSize Orientation: 5 int 0 3

)";

// Those every PostScript device has (PLRM 3, appendix E). A driver sends the others along, so that a RIP without them
// prints no Courier.
std::string font_table() {
    std::string text = "*DefaultFont: Courier\n";
    for (const std::string_view name : {"Courier", "Courier-Bold", "Courier-BoldOblique", "Courier-Oblique",
                                        "Helvetica", "Helvetica-Bold", "Helvetica-BoldOblique", "Helvetica-Oblique",
                                        "Symbol", "Times-Bold", "Times-BoldItalic", "Times-Italic", "Times-Roman"}) {
        const std::string encoding = name == "Symbol" ? "Special" : "Standard";
        text += "*Font " + std::string(name) + ": " + encoding + " \"(001.000)\" " + encoding + " ROM\n";
    }
    return text;
}

}  // namespace

std::string make_ppd(const std::string& queue) {
    const std::string nick = "opispool " + plain_name(queue);
    return R"ppd(*PPD-Adobe: "4.3"
*FormatVersion: "4.3"
*FileVersion: "1.0"
*LanguageVersion: English
*LanguageEncoding: ISOLatin1
*PCFileName: "OPISPOOL.PPD"
*Manufacturer: "opispool"
*Product: "(opispool PostScript Queue)"
*PSVersion: "(3010.000) 0"
*ModelName: "opispool PostScript Queue"
*ShortNickName: "opispool PostScript"
*NickName: ")ppd" +
           nick + R"ppd("
*1284DeviceID: "MFG:opispool;MDL:PostScript Queue;CMD:POSTSCRIPT;CLS:PRINTER;"
*cupsFilter: "application/vnd.cups-postscript 0 -"
*LanguageLevel: "3"
*ColorDevice: True
*DefaultColorSpace: CMYK
*FileSystem: False
*Throughput: "1"
*LandscapeOrientation: Plus90
*TTRasterizer: Type42
*FreeVM: "16777216"
*ContoneOnly: False
*AccurateScreensSupport: True
*Protocols: BCP

)ppd" + size_choice("PageSize", "Page Size", 10) +
           size_choice("PageRegion", "Page Size", 20) + size_table("ImageableArea", "0 0 ") +
           size_table("PaperDimension", "") + std::string(custom_size) + font_table();
}

}  // namespace opispool::ipp
