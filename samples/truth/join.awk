# awk -f join.awk truth/JOB.ps thin/JOB.ps: the thin page with every proxy replaced by the truth's picture of that number.
# Fails if the numbers of proxies and pictures differ.
FNR == NR {
    if (/^%=picture/) ++pictures
    else if (pictures > 0) picture[pictures] = picture[pictures] $0 "\n"
    next
}
!end && /^%%BeginObject: image/ { end = "%%EndObject" }
!end && /^%%BeginIncludedImage/ { end = "%%EndIncludedImage" }
end && !inside { inside = 1; printf "%s", picture[++proxies] }
!inside && !/^%ALD/ && !/^%%(BeginOPI|EndOPI|Image|MainImage|IncludedImage|TIFFASCIITag)/
inside && $0 == end { inside = 0; end = "" }
END {
    if (proxies != pictures) {
        print "join.awk: " proxies " proxies, " pictures " pictures" > "/dev/stderr"
        exit 1
    }
}
