# awk -f join.awk truth/JOB.ps thin/JOB.ps: the thin page with every proxy replaced by the truth's picture of that number.
# Fails if the numbers of proxies and pictures differ.
FNR == NR {
    if (/^%=picture/) ++pictures
    else if (pictures > 0) picture[pictures] = picture[pictures] $0 "\n"
    next
}
/^%%BeginObject: image/ || /^%%BeginIncludedImage/ { inside = 1; printf "%s", picture[++proxies] }
!inside && !/^%ALD/ && !/^%%(BeginOPI|EndOPI|Image|MainImage|IncludedImage)/
/^%%EndObject/ || /^%%EndIncludedImage/ { inside = 0 }
END { if (proxies != pictures) { print "join.awk: " proxies " proxies, " pictures " pictures" > "/dev/stderr"; exit 1 } }
